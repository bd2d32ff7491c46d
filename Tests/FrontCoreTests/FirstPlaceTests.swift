//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import FrontCore

@Suite("The first place of which something is so")
struct FirstPlaceTests {
    @Test("it is that of a look at each, wherever it stands; the end where it is so of none", arguments: 0..<20)
    func same(count: Int) {
        let numbers = (0..<count).map { $0 * 2 }
        for bound in -1...count * 2 {
            #expect(numbers.firstPlace { $0 >= bound } == numbers.firstIndex { $0 >= bound } ?? count, "from \(bound)")
        }
    }

    @Test("among equal ones it is the first of them")
    func equal() {
        #expect([1, 3, 3, 3, 5].firstPlace { $0 >= 3 } == 1)
        #expect([1, 3, 3, 3, 5].firstPlace { $0 > 3 } == 4)
    }

    @Test("of a slice it is a place of the slice")
    func slice() {
        #expect([9, 9, 1, 2, 3, 0][2..<5].firstPlace { $0 >= 3 } == 4)
        #expect([9, 9, 1, 2, 3, 0][2..<5].firstPlace { $0 >= 7 } == 5)
        #expect([9, 9, 9, 9, 1, 2][4..<6].firstPlace { $0 >= 2 } == 5)
    }

    @Test("it halves: a million are told by twenty looks")
    func looks() {
        var looks = 0
        let place = (0..<1_000_000).firstPlace {
            looks += 1
            return $0 >= 777_777
        }
        #expect(place == 777_777 && looks <= 20)
    }
}
