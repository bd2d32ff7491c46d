//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Testing

@testable import FrontCore

@Suite("A list of values, each once")
struct UniqueListTests {
    @Test("the first so many are taken in their order; the others keep their places, and what was taken may come again")
    func first() {
        var list = UniqueList([3, 1, 3, 2, 4])
        #expect(list.takeFirst(2) == [3, 1])
        #expect(list.elements == [2, 4])
        #expect(!list.contains(3) && !list.contains(1))
        #expect(!list.append(4) && list.append(1))
        #expect(list.elements == [2, 4, 1])
        #expect(list.takeFirst(9) == [2, 4, 1])
        #expect(list.isEmpty && list.append(2))
    }

    @Test("one that is there keeps its place and is not new; after all are taken nothing is known any more")
    func again() {
        var list = UniqueList<Int>()
        #expect(list.isEmpty && !list.contains(1))
        #expect(list.append(1) && list.append(2))
        #expect(!list.append(1) && list.contains(1) && !list.isEmpty)
        #expect(list.elements == [1, 2])
        #expect(list.takeFirst(2) == [1, 2])
        #expect(list.isEmpty && !list.contains(2) && list.append(2))
        #expect(list.takeFirst(0) == [] && list.elements == [2])
    }
}
