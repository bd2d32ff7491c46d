//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension [UInt8] {
    mutating func append(littleEndian number: UInt64, byteCount: Int) {
        for index in 0..<byteCount { append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))) }
    }

    /// The little-endian number of `byteCount` bytes at `position`, which must lie inside.
    func number(at position: Int, byteCount: Int) -> UInt64 {
        var number: UInt64 = 0
        for index in 0..<byteCount { number |= UInt64(self[position + index]) << (8 * UInt64(index)) }
        return number
    }

    /// The big-endian word of four bytes at `position`, which must lie inside.
    func bigEndianWord(at position: Int) -> UInt32 {
        UInt32(self[position]) << 24 | UInt32(self[position + 1]) << 16 | UInt32(self[position + 2]) << 8
            | UInt32(self[position + 3])
    }
}
