//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel

/// Keeps items whose title or one of whose text fields contains a text, both folded as sorting folds them.
struct TextFilter {
    private let needle: [UInt8]

    /// A filter; nil for the empty text, which every item contains.
    init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        needle = Array(FoldedText.folded(text).utf8)
    }

    /// Whether the item is kept; `scratch` is overwritten.
    func keeps(_ item: EncodedItem, scratch: inout [UInt8]) -> Bool {
        if contains(item.bytes, item.title, scratch: &scratch) { return true }
        var found = false
        item.forEachField { _, value in
            if case .text(let range) = value { found = contains(item.bytes, range, scratch: &scratch) }
            return !found
        }
        return found
    }

    private func contains(_ bytes: [UInt8], _ range: Range<Int>, scratch: inout [UInt8]) -> Bool {
        scratch.removeAll(keepingCapacity: true)
        FoldedText.append(bytes, range, to: &scratch)
        guard scratch.count >= needle.count, let first = needle.first else { return needle.isEmpty }
        for start in 0...(scratch.count - needle.count) where scratch[start] == first {
            var offset = 1
            while offset < needle.count, scratch[start + offset] == needle[offset] { offset += 1 }
            if offset == needle.count { return true }
        }
        return false
    }
}

/// Text as sorting and filtering compare it: lower-cased, then in Normalization Form C (Unicode Standard Annex 15), as UTF-8.
///
/// UTF-8 bytes compare like code points, so keys are compared as bytes.
enum FoldedText {
    /// Appends the folded bytes of the UTF-8 text in `range` of `bytes`.
    static func append(_ bytes: [UInt8], _ range: Range<Int>, to key: inout [UInt8]) {
        let start = key.count
        for index in range {
            let byte = bytes[index]
            guard byte < 0x80 else {
                key.removeSubrange(start...)
                key.append(contentsOf: folded(String(decoding: bytes[range], as: UTF8.self)).utf8)
                return
            }
            key.append(byte &- 0x41 < 26 ? byte | 0x20 : byte)
        }
    }

    /// The folded text.
    static func folded(_ text: String) -> String {
        let lower = text.lowercased()
        guard !lower.unicodeScalars.allSatisfy(isAlwaysComposed) else { return lower }
        return lower.precomposedStringWithCanonicalMapping
    }

    /// Whether text of such scalars alone is in Form C already: none of them composes, decomposes or combines. It spares most texts the slow way.
    private static func isAlwaysComposed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x300, 0x400..<0x483, 0x3400..<0x4DC0, 0x4E00..<0xA000, 0xAC00..<0xD7A4: true
        default: false
        }
    }
}
