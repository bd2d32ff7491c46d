//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Distinguishes requests: a repeat under the same number with another body is a mistake of its sender, not a repeat.
///
/// A chain of XXH64 (seed 0) over the parts of a body in a fixed order. The same body has the same fingerprint in each version and epoch of
/// the front; it is no protection against a search for another body with the same one.
struct Fingerprint {
    private(set) var value: UInt64

    /// Begins with the kind of the body.
    init(kind: UInt8) { value = XXH64.hash([kind]) }

    /// Adds a number; nil is another one than 0.
    mutating func add(_ number: UInt64?) {
        // A multiplication by an odd number and a rotation lose nothing: each number gives another value.
        value = ((value ^ (number ?? 0)) &* 0x9E37_79B1_85EB_CA87) &+ (number == nil ? 1 : 0)
        value = value << 31 | value >> 33
    }

    /// Adds bytes and their count.
    mutating func add(_ bytes: [UInt8]) { value = XXH64.hash(bytes, seed: value) }

    /// Adds a text; nil is another one than the empty one.
    mutating func add(_ text: String?) {
        add(text.map { UInt64($0.utf8.count) })
        for byte in (text ?? "").utf8 { add(UInt64(byte)) }
    }
}
