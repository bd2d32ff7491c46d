//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What a world draws: all of its chance comes from its seed.
extension SplitMix64 {
    /// 0 to `bound` less one.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

    /// Both ends are possible.
    mutating func between(_ low: Int64, _ high: Int64) -> Int64 { low + Int64(next() % UInt64(max(high - low, 0) + 1)) }

    /// True that often, 0 to 1.
    mutating func chance(_ share: Double) -> Bool { Double(next() >> 11) / Double(1 << 53) < share }

    /// One of the choices, nil if there is none.
    mutating func pick<Choice>(_ choices: [Choice]) -> Choice? { choices.isEmpty ? nil : choices[below(choices.count)] }

    /// A length whose logarithm is even between both: short ones are as likely as long ones.
    mutating func spread(_ low: Int64, _ high: Int64) -> Int64 {
        var top = low
        while top < high, below(3) != 0 { top *= 2 }
        return between(low, min(top, high))
    }
}
