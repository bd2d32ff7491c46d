//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// One row of an order: which item, and where its bytes are, so that a page need not read the list's offset index.
///
/// 12 bytes, little-endian: position in the list (4), then a word of 8 with the byte count in the upper 24 bits and the offset in the lower 40.
struct OrderEntry {
    /// Where an item lies in a list's content.
    struct Place {
        let packed: UInt64
        var offset: UInt64 { packed & (1 << 40 - 1) }
        var byteCount: Int { Int(packed >> 40) }

        init(packed: UInt64) { self.packed = packed }

        /// Nil when the offset needs more than 40 bits or the count more than 24.
        init?(offset: UInt64, byteCount: Int) {
            guard offset < 1 << 40, byteCount < 1 << 24 else { return nil }
            packed = UInt64(byteCount) << 40 | offset
        }
    }

    let position: Int
    let place: Place
}
