//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A small seeded source of numbers.
struct XorShift {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func below(_ bound: UInt64) -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state % bound
    }
}
