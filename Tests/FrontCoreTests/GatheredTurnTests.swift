//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("What a turn gathers")
struct GatheredTurnTests {
    @Test("a topic whose bookmark or snapshot is due, or goes on, more than once is counted once")
    func topics() {
        let (peer, session) = (PeerID(7), SessionID(8))
        let counted: [(inout GatheredTurn, Topic) -> Void] = [
            { $0.bookmark($1) }, { $0.proceed(SnapshotKey(peer: peer, session: session, topic: $1)) },
            {
                $0.ask(
                    GatheredTurn.SnapshotRequest(
                        peer: peer, session: session, topic: $1, asked: nil, cause: EventID($0.byteCount == 0 ? 1 : 2)))
            },
        ]
        for count in counted {
            var turn = GatheredTurn()
            var counts: [Int] = []
            for topic in [Topic.jobs, .jobs, .workers] {
                count(&turn, topic)
                counts.append(turn.byteCount)
            }
            #expect(counts == [1, 1, 2].map { $0 * RoughSize.feed })
        }
    }

    @Test("an item that changes more than once is counted once, whatever other topics have an item of its name")
    func items() {
        var turn = GatheredTurn()
        var counts: [Int] = []
        for topic in [Topic.jobs, .jobs, .workers] {
            turn.change(topic, "a")
            counts.append(turn.byteCount)
        }
        #expect(counts == [1, 1, 2].map { $0 * (RoughSize.message + 1) })
    }
}
