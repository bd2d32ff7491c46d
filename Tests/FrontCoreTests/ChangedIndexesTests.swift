//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import FrontCore

@Suite("Indexes of what has changed")
struct ChangedIndexesTests {
    @Test("each is taken once, however often it has changed, and again when it changes again")
    func once() {
        var changed = ChangedIndexes()
        #expect(changed.take() == nil)
        for index in [3, 0, 3, 7, 0] { changed.note(index) }
        #expect([changed.take(), changed.take(), changed.take(), changed.take()] == [7, 0, 3, nil])
        changed.note(3)
        #expect(changed.take() == 3 && changed.take() == nil)
    }

    @Test("what changes while the others are taken is taken with them")
    func meanwhile() {
        var changed = ChangedIndexes()
        changed.note(1)
        changed.note(2)
        #expect(changed.take() == 2)
        changed.note(2)
        #expect(changed.take() == 2 && changed.take() == 1 && changed.take() == nil)
    }
}
