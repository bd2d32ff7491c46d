//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The sum of a topic's items: wrapping sum over items of XXH64(key length as UInt32 little endian, key, value); empty is 0.
///
/// Any client keeps it without understanding a byte of the items, and compares it with the one in a bookmark.
@frozen
public struct TopicChecksum: Hashable, Sendable, CustomStringConvertible {
    /// The sum.
    public private(set) var sum: UInt64

    /// A digest that was received, or that of an empty topic.
    public init(_ sum: UInt64 = 0) { self.sum = sum }

    /// Adds an item.
    public mutating func add(key: [UInt8], value: [UInt8]) { sum = sum &+ Self.part(key: key, value: value) }

    /// Takes an item away that was added before.
    public mutating func remove(key: [UInt8], value: [UInt8]) { sum = sum &- Self.part(key: key, value: value) }

    /// The sum as 16 lower-case hexadecimal digits.
    public var description: String {
        let text = String(sum, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    private static func part(key: [UInt8], value: [UInt8]) -> UInt64 {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 + key.count + value.count)
        let count = UInt32(truncatingIfNeeded: key.count)
        for shift in [UInt32(0), 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: count >> shift)) }
        bytes.append(contentsOf: key)
        bytes.append(contentsOf: value)
        return XXH64.hash(bytes)
    }
}
