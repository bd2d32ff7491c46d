//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("What a turn gathers")
struct GatheredTurnTests {
    @Test("a topic whose bookmark is due more than once is counted once")
    func bookmarks() {
        var turn = GatheredTurn()
        var counts: [Int] = []
        for topic in [Topic.jobs, .jobs, .workers] {
            turn.bookmark(topic)
            counts.append(turn.byteCount)
        }
        #expect(counts == [1, 1, 2].map { $0 * RoughSize.feed })
    }
}
