//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The secret that one epoch makes its session numbers of.
package struct SessionKey: Sendable {
    private let hash: SipHash

    /// A key of 128 random bits, new for each epoch.
    package init(_ first: UInt64, _ second: UInt64) { hash = SipHash(key: first, second) }

    /// The number of the session that is opened as the `count`th: other numbers cannot be computed from it.
    package func number(ofSession count: UInt64) -> SessionID { SessionID(hash.hash(count)) }
}

/// SipHash-2-4 with 64-bit results, as Aumasson and Bernstein specify it: without the key the results cannot be distinguished from random
/// numbers.
package struct SipHash: Sendable {
    private let key: (UInt64, UInt64)

    /// The hash under a key of 128 random bits.
    package init(key first: UInt64, _ second: UInt64) { key = (first, second) }

    /// The value of a message of 8 bytes: a number, least significant byte first.
    package func hash(_ number: UInt64) -> UInt64 {
        var lanes = Lanes(
            a: key.0 ^ 0x736F_6D65_7073_6575, b: key.1 ^ 0x646F_7261_6E64_6F6D, c: key.0 ^ 0x6C79_6765_6E65_7261,
            d: key.1 ^ 0x7465_6462_7974_6573)
        lanes.compress(number)
        // The last word holds the count of bytes in its highest byte.
        lanes.compress(8 << 56)
        lanes.c ^= 0xFF
        for _ in 0..<4 { lanes.round() }
        return lanes.a ^ lanes.b ^ lanes.c ^ lanes.d
    }

    private struct Lanes {
        var a: UInt64
        var b: UInt64
        var c: UInt64
        var d: UInt64

        mutating func compress(_ word: UInt64) {
            d ^= word
            round()
            round()
            a ^= word
        }

        mutating func round() {
            a &+= b
            c &+= d
            b = rotate(b, 13) ^ a
            d = rotate(d, 16) ^ c
            a = rotate(a, 32)
            c &+= b
            a &+= d
            b = rotate(b, 17) ^ c
            d = rotate(d, 21) ^ a
            c = rotate(c, 32)
        }

        private func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 { value << count | value >> (64 - count) }
    }
}

/// The token that every peer of a front over TCP must send: the content of `DATA/run/token`.
package struct SharedToken: Hashable, Sendable {
    /// Longest token, in bytes.
    package static let byteCountLimit = 64

    private let bytes: [UInt8]

    /// A token; nil if it is empty or over 64 bytes.
    package init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= Self.byteCountLimit else { return nil }
        self.bytes = bytes
    }

    /// Whether somebody knows the token; a wrong one takes as long as the right one, so nobody finds it byte by byte.
    package func admits(_ given: [UInt8]) -> Bool { bytes.isSameSecret(as: given) }
}

extension [UInt8] {
    /// Whether both are the same bytes; the time depends on the counts alone.
    package func isSameSecret(as other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for (mine, theirs) in zip(self, other) { difference |= mine ^ theirs }
        return difference == 0
    }
}
