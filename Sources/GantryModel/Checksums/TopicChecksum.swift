//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The sum of a topic's items: wrapping sum over items of XXH64(key length as UInt32 little endian, key, value); empty is 0.
///
/// Any client keeps it without understanding a byte of the items, and compares it with the one in a bookmark.
@frozen @usableFromInline
package struct TopicChecksum: Hashable, Sendable, CustomStringConvertible {
    /// The sum.
    package private(set) var sum: UInt64

    /// A digest that was received, or that of an empty topic.
    package init(_ sum: UInt64 = 0) { self.sum = sum }

    /// Adds an item.
    package mutating func add(key: [UInt8], value: [UInt8]) { sum = sum &+ Self.part(key: key, value: value) }

    /// Takes an item away that was added before.
    package mutating func remove(key: [UInt8], value: [UInt8]) { sum = sum &- Self.part(key: key, value: value) }

    /// The sum as 16 lower-case hexadecimal digits.
    @usableFromInline package var description: String {
        let text = String(sum, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    private static func part(key: [UInt8], value: [UInt8]) -> UInt64 {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 + key.count + value.count)
        LittleEndian.append(UInt32(truncatingIfNeeded: key.count), to: &bytes)
        bytes.append(contentsOf: key)
        bytes.append(contentsOf: value)
        return XXH64.hash(bytes)
    }
}

/// XXH64 of a byte sequence (Yann Collet, "xxHash fast digest algorithm", specification version 0.1.1), seed 0 unless given.
package struct XXH64: Sendable {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// The 64-bit sum of all of `bytes`.
    package static func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        var position = 0
        var sum: UInt64
        if bytes.count >= 32 {
            var lanes = (seed &+ prime1 &+ prime2, seed &+ prime2, seed, seed &- prime1)
            while position + 32 <= bytes.count {
                lanes.0 = round(lanes.0, LittleEndian.word(bytes, position))
                lanes.1 = round(lanes.1, LittleEndian.word(bytes, position + 8))
                lanes.2 = round(lanes.2, LittleEndian.word(bytes, position + 16))
                lanes.3 = round(lanes.3, LittleEndian.word(bytes, position + 24))
                position += 32
            }
            sum = rotate(lanes.0, 1) &+ rotate(lanes.1, 7) &+ rotate(lanes.2, 12) &+ rotate(lanes.3, 18)
            sum = merge(merge(merge(merge(sum, lanes.0), lanes.1), lanes.2), lanes.3)
        } else {
            sum = seed &+ prime5
        }
        sum = sum &+ UInt64(bytes.count)
        while position + 8 <= bytes.count {
            sum = rotate(sum ^ round(0, LittleEndian.word(bytes, position)), 27) &* prime1 &+ prime4
            position += 8
        }
        if position + 4 <= bytes.count {
            sum = rotate(sum ^ (UInt64(LittleEndian.half(bytes, position)) &* prime1), 23) &* prime2 &+ prime3
            position += 4
        }
        while position < bytes.count {
            sum = rotate(sum ^ (UInt64(bytes[position]) &* prime5), 11) &* prime1
            position += 1
        }
        sum = (sum ^ (sum >> 33)) &* prime2
        sum = (sum ^ (sum >> 29)) &* prime3
        return sum ^ (sum >> 32)
    }

    private static func merge(_ sum: UInt64, _ lane: UInt64) -> UInt64 { (sum ^ round(0, lane)) &* prime1 &+ prime4 }

    private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 { value << count | value >> (64 - count) }

    private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 { rotate(lane &+ input &* prime2, 31) &* prime1 }
}

/// Integers in files and sums, least significant byte first.
package enum LittleEndian {
    /// Appends the bytes of an integer.
    @inline(__always)
    package static func append<Integer: FixedWidthInteger>(_ value: Integer, to bytes: inout [UInt8]) {
        for index in 0..<(Integer.bitWidth / 8) { bytes.append(UInt8(truncatingIfNeeded: value >> Integer(truncatingIfNeeded: index * 8))) }
    }

    // The last byte first: when it is there the others are, so one check is enough and the whole becomes a single load.

    /// The number of the eight bytes from `offset` on, which must lie inside.
    @inline(__always)
    package static func word(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
        let upper = UInt64(bytes[offset + 7]) << 56 | UInt64(bytes[offset + 6]) << 48 | UInt64(bytes[offset + 5]) << 40
        let middle = UInt64(bytes[offset + 4]) << 32 | UInt64(bytes[offset + 3]) << 24 | UInt64(bytes[offset + 2]) << 16
        return upper | middle | UInt64(bytes[offset + 1]) << 8 | UInt64(bytes[offset])
    }

    /// The number of the four bytes from `offset` on, which must lie inside.
    @inline(__always)
    package static func half(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        UInt32(bytes[offset + 3]) << 24 | UInt32(bytes[offset + 2]) << 16 | UInt32(bytes[offset + 1]) << 8 | UInt32(bytes[offset])
    }
}

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
