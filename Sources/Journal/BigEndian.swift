//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension [UInt8] {
    /// The big-endian word of four bytes at `position`, which must lie inside: SQLite's log is written so.
    func bigEndianWord(at position: Int) -> UInt32 {
        UInt32(self[position]) << 24 | UInt32(self[position + 1]) << 16 | UInt32(self[position + 2]) << 8
            | UInt32(self[position + 3])
    }
}
