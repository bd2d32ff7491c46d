//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Random numbers that a seed fixes: SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
///
/// The same seed gives the same numbers on every machine and in every version. A machine reads nothing itself: its driver draws the seed
/// from the system, so a recorded run gives the same messages again; a test or a simulated world names its seed when it fails.
package struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// The numbers as the paper has them. Some seeds give those of another one, some places further on: it suits seeds that are random.
    package init(seed: UInt64) { state = seed }

    /// The numbers of a seed that somebody counted up: it is mixed first, so neighboring seeds have nothing in common.
    package init(mixing seed: UInt64) {
        state = seed
        state = next() ^ (seed << 32)
    }

    /// The next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// The next number that is not 0, which stands for none on the wire.
    package mutating func nextNonzero() -> UInt64 {
        while true {
            let number = next()
            if number != 0 { return number }
        }
    }
}
