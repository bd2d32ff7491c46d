//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

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
}
