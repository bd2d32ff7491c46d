//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A Swift type that a socket option can hold. The size of an option comes from its type.
package protocol SocketOptionValue: Sendable, Equatable {
    /// The bytes libzmq expects, in the machine's byte order. `millisecondsPerUnit` matters to durations only.
    func optionBytes(millisecondsPerUnit: Int64) -> [UInt8]
    /// The value for bytes that libzmq returned; nil if they have the wrong size.
    static func fromOptionBytes(_ bytes: [UInt8], millisecondsPerUnit: Int64) -> Self?
    /// How many bytes to offer when reading.
    static var optionCapacity: Int { get }
}

extension FixedWidthInteger {
    /// The integer's bytes in the machine's order.
    fileprivate var nativeBytes: [UInt8] {
        var bits = littleEndian
        var bytes: [UInt8] = []
        for _ in 0..<(Self.bitWidth / 8) {
            bytes.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
        }
        return littleEndian == self ? bytes : bytes.reversed()
    }

    fileprivate init?(nativeBytes bytes: [UInt8]) {
        guard bytes.count == Self.bitWidth / 8 else { return nil }
        var value: Self = 0
        for byte in bytes.reversed() {
            value = (value << 8) | Self(truncatingIfNeeded: byte)
        }
        self = Self(littleEndian: value)
    }
}

extension Int32: SocketOptionValue {
    /// Four bytes.
    package func optionBytes(millisecondsPerUnit: Int64) -> [UInt8] { nativeBytes }
    /// Reads four bytes.
    package static func fromOptionBytes(_ bytes: [UInt8], millisecondsPerUnit: Int64) -> Int32? { Int32(nativeBytes: bytes) }
    /// Four.
    package static var optionCapacity: Int { 4 }
}

extension Int64: SocketOptionValue {
    /// Eight bytes.
    package func optionBytes(millisecondsPerUnit: Int64) -> [UInt8] { nativeBytes }
    /// Reads eight bytes.
    package static func fromOptionBytes(_ bytes: [UInt8], millisecondsPerUnit: Int64) -> Int64? { Int64(nativeBytes: bytes) }
    /// Eight.
    package static var optionCapacity: Int { 8 }
}

extension Bool: SocketOptionValue {
    /// An `int` of 0 or 1.
    package func optionBytes(millisecondsPerUnit: Int64) -> [UInt8] { Int32(self ? 1 : 0).nativeBytes }
    /// Reads an `int`; anything but 0 is true.
    package static func fromOptionBytes(_ bytes: [UInt8], millisecondsPerUnit: Int64) -> Bool? {
        Int32(nativeBytes: bytes).map { $0 != 0 }
    }
    /// Four.
    package static var optionCapacity: Int { 4 }
}

extension Duration: SocketOptionValue {
    /// An `int` of whole units, rounded up and kept within 0 and `Int32.max`.
    package func optionBytes(millisecondsPerUnit: Int64) -> [UInt8] {
        let (seconds, attoseconds) = components
        let bounded = min(max(seconds, 0), Int64(Int32.max))
        let milliseconds = bounded * 1_000 + (max(attoseconds, 0) + 999_999_999_999_999) / 1_000_000_000_000_000
        let units = (milliseconds + millisecondsPerUnit - 1) / millisecondsPerUnit
        return Int32(clamping: units).nativeBytes
    }
    /// Reads an `int` of units; -1, libzmq's "for ever", stays negative.
    package static func fromOptionBytes(_ bytes: [UInt8], millisecondsPerUnit: Int64) -> Duration? {
        Int32(nativeBytes: bytes).map { .milliseconds(Int64($0) * millisecondsPerUnit) }
    }
    /// Four.
    package static var optionCapacity: Int { 4 }
}

extension String: SocketOptionValue {
    /// UTF-8 without a closing zero.
    package func optionBytes(millisecondsPerUnit: Int64) -> [UInt8] { Array(utf8) }
    /// Reads UTF-8 up to the first zero.
    package static func fromOptionBytes(_ bytes: [UInt8], millisecondsPerUnit: Int64) -> String? {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    /// 512, more than any endpoint or domain.
    package static var optionCapacity: Int { 512 }
}
