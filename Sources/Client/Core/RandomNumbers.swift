//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The chance of one client: pauses that differ from client to client, and the numbers of its hellos.
///
/// All of it follows from one seed (SplitMix64; Steele, Lea, Flood, 2014), which the driver draws from the system: a machine reads nothing
/// itself, so a recorded run gives the same messages again.
struct RandomNumbers: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number that is not 0, which stands for none on the wire.
    mutating func nextNonzero() -> UInt64 {
        while true {
            let number = next()
            if number != 0 { return number }
        }
    }
}
