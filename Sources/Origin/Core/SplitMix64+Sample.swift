//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Sample data follow from their names alone, on every machine and in every version.
extension SplitMix64 {
    /// The numbers of element `index` of the list named `text`; any element can be made without those before it.
    init(text: String, index: Int) {
        // FNV-1a over the UTF-8 bytes.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        self.init(seed: hash &+ UInt64(truncatingIfNeeded: index) &* 0xd134_2543_de82_ef95)
    }

    /// A number in `range`, by remainder: stable, and even enough for sample data.
    mutating func pick(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// One of `choices`, which must not be empty.
    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int(next() % UInt64(choices.count))]
    }
}
