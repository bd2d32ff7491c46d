//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Random numbers of a test, which names the seed when it fails; neighbouring seeds have nothing in common.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var numbers: SplitMix64

    /// Creates the source of a seed.
    public init(seed: UInt64) { numbers = SplitMix64(mixing: seed) }

    /// The next number.
    public mutating func next() -> UInt64 { numbers.next() }
}
