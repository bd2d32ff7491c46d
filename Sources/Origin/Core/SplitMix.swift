//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Random numbers from a seed: the same seed gives the same numbers on every machine and in every version (SplitMix64).
struct SplitMix: RandomNumberGenerator {
    private static let step: UInt64 = 0x9e37_79b9_7f4a_7c15
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// The numbers of element `index` of the list named `text`; any element can be made without those before it.
    init(text: String, index: Int) {
        // FNV-1a over the UTF-8 bytes.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        state = hash &+ UInt64(truncatingIfNeeded: index) &* 0xd134_2543_de82_ef95
    }

    mutating func next() -> UInt64 {
        state &+= Self.step
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
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
