//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Integers in files and sums, least significant byte first.
package enum LittleEndian {
    /// Appends the bytes of an integer.
    @inlinable @inline(__always)
    package static func append<Integer: FixedWidthInteger>(_ value: Integer, to bytes: inout [UInt8]) {
        for index in 0..<(Integer.bitWidth / 8) { bytes.append(UInt8(truncatingIfNeeded: value >> Integer(truncatingIfNeeded: index * 8))) }
    }

    /// The number of the eight bytes from `offset` on, which must lie inside.
    @inlinable @inline(__always)
    package static func word(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
        UInt64(half(bytes, offset)) | UInt64(half(bytes, offset + 4)) << 32
    }

    /// The number of the four bytes from `offset` on, which must lie inside.
    @inlinable @inline(__always)
    package static func half(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        UInt32(bytes[offset]) | UInt32(bytes[offset + 1]) << 8 | UInt32(bytes[offset + 2]) << 16 | UInt32(bytes[offset + 3]) << 24
    }
}
