//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Reads little-endian integers from a part of an array that it does not hold; every read answers nil at the end instead of trapping.
struct ByteCursor {
    private(set) var offset: Int
    let end: Int

    mutating func byte(_ bytes: [UInt8]) -> UInt8? {
        guard offset < end else { return nil }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func short(_ bytes: [UInt8]) -> UInt16? {
        guard end - offset >= 2 else { return nil }
        defer { offset += 2 }
        return UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
    }

    mutating func half(_ bytes: [UInt8]) -> UInt32? {
        guard end - offset >= 4 else { return nil }
        defer { offset += 4 }
        return LittleEndian.half(bytes, offset)
    }

    mutating func word(_ bytes: [UInt8]) -> UInt64? {
        guard end - offset >= 8 else { return nil }
        defer { offset += 8 }
        return LittleEndian.word(bytes, offset)
    }

    mutating func skip(_ count: Int) -> Range<Int>? {
        guard count <= end - offset else { return nil }
        defer { offset += count }
        return offset..<offset + count
    }
}
