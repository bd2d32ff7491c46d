//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

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
