//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The name of an object in the cache: 32 bytes, SHA-256 over the object's list of block sums.
@frozen @usableFromInline
package struct ObjectDigest: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The 32 bytes as four big-endian words, first bytes first.
    @usableFromInline package let words: (UInt64, UInt64, UInt64, UInt64)

    /// A digest from its four big-endian words.
    package init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// A digest from its 32 bytes; nil for any other count.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var words: [UInt64] = [0, 0, 0, 0]
        for (offset, byte) in bytes.enumerated() { words[offset / 8] = words[offset / 8] << 8 | UInt64(byte) }
        self.words = (words[0], words[1], words[2], words[3])
    }

    /// A digest from 64 hexadecimal digits; nil for anything else.
    package init?(hex: String) {
        guard hex.utf8.count == 64 else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in hex {
            guard let digit = character.hexDigitValue else { return nil }
            if let first = high {
                bytes.append(first << 4 | UInt8(digit))
                high = nil
            } else {
                high = UInt8(digit)
            }
        }
        self.init(bytes: bytes)
    }

    /// The 32 bytes in order.
    package var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) } }
    }

    /// The digest as 64 lower-case hexadecimal digits.
    @usableFromInline package var description: String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    /// Equality of the 32 bytes.
    @inlinable package static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    /// Order of the 32 bytes.
    @inlinable package static func < (left: Self, right: Self) -> Bool { left.words < right.words }

    /// Feeds the digest to the hasher.
    @inlinable package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
    }
}

/// What the front knows of an object: its name and its size, never its bytes.
public struct ObjectReference: Hashable, Sendable {
    /// The object's name in the cache.
    package var digest: ObjectDigest
    /// Size of the object's content in bytes, without index and sums.
    public var byteCount: UInt64
    /// How many items a list or an order has; 0 for plain bytes.
    public var itemCount: UInt64

    /// Joins name and sizes.
    package init(digest: ObjectDigest, byteCount: UInt64, itemCount: UInt64) {
        self.digest = digest
        self.byteCount = byteCount
        self.itemCount = itemCount
    }
}
