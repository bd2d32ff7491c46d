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

    @Test("what is sent counts in the turn, and what a client is sent counts for that client, too")
    func messages() {
        var turn = GatheredTurn()
        let (refused, settled) = (FrontMessage.refused(Refused(reason: "later")), WorkerBoundMessage.acknowledged(reports: [1, 2]))
        for (place, client) in [PeerID(7), PeerID(9), PeerID(7)].enumerated() {
            turn.send(client, SessionID(8), refused)
            #expect(turn.byteCount == (place + 1) * refused.roughByteCount)
        }
        #expect(turn.clientPeers == [PeerID(7), PeerID(9)])
        #expect([7, 9, 8].map { turn.byteCount(for: PeerID($0)) } == [2, 1, 0].map { $0 * refused.roughByteCount })
        #expect(turn.byteCounts == [PeerID(7): 2 * refused.roughByteCount, PeerID(9): refused.roughByteCount])
        let before = turn.byteCount
        turn.sendToWorker(PeerID(1_001), settled)
        turn.sendToWorkerApart(PeerID(1_001), settled)
        #expect(settled.roughByteCount > 0 && turn.byteCount == before + 2 * settled.roughByteCount)
        #expect(turn.workerPeers == [PeerID(1_001)] && turn.workerMessages[PeerID(1_001)]?.frames.map(\.count) == [1, 1, 0])
    }
}
