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

    // The last byte first: when it is there the others are, so one check is enough and the whole becomes a single load.

    /// The number of the eight bytes from `offset` on, which must lie inside.
    @inlinable @inline(__always)
    package static func word(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
        let upper = UInt64(bytes[offset + 7]) << 56 | UInt64(bytes[offset + 6]) << 48 | UInt64(bytes[offset + 5]) << 40
        let middle = UInt64(bytes[offset + 4]) << 32 | UInt64(bytes[offset + 3]) << 24 | UInt64(bytes[offset + 2]) << 16
        return upper | middle | UInt64(bytes[offset + 1]) << 8 | UInt64(bytes[offset])
    }

    /// The number of the four bytes from `offset` on, which must lie inside.
    @inlinable @inline(__always)
    package static func half(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        UInt32(bytes[offset + 3]) << 24 | UInt32(bytes[offset + 2]) << 16 | UInt32(bytes[offset + 1]) << 8 | UInt32(bytes[offset])
    }
}
