//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Integers in files, least significant byte first.
enum LittleEndian {
    @inline(__always)
    static func append<Integer: FixedWidthInteger>(_ value: Integer, to bytes: inout [UInt8]) {
        for index in 0..<(Integer.bitWidth / 8) { bytes.append(UInt8(truncatingIfNeeded: value >> Integer(truncatingIfNeeded: index * 8))) }
    }

    @inline(__always)
    static func word(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<8 { value |= UInt64(bytes[offset + index]) << UInt64(index * 8) }
        return value
    }

    @inline(__always)
    static func half(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        var value: UInt32 = 0
        for index in 0..<4 { value |= UInt32(bytes[offset + index]) << UInt32(index * 8) }
        return value
    }
}
