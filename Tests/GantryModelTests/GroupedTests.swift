//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@Suite("Numbers in sentences")
struct GroupedTests {
    @Test("have a comma before each three digits")
    func commas() {
        let numbers = [0, 64, 999, 1_000, 65_536, 123_456, 1_000_000, -1_000, -100]
        #expect(numbers.map(\.grouped) == ["0", "64", "999", "1,000", "65,536", "123,456", "1,000,000", "-1,000", "-100"])
        #expect(UInt64.max.grouped == "18,446,744,073,709,551,615")
    }
}
