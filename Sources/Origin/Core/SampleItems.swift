//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A list of generated items. The parameter seeds it: the same parameter gives the same items, whatever the count.
///
/// An item: `id` (seven digits from 0000001), `title` (three words), `description` (six words), `value` (1000 to 9999) and
/// `createdAt` (RFC 3339). All items have the same size, so the length of a list is known before it is made.
struct SampleItems: Sendable {
    static let largestCount = 1_000_000
    static let itemsPerPiece = 256

    let parameter: String
    let count: Int

    /// Item `index` from 0, as JSON.
    func item(_ index: Int) -> [UInt8] {
        var random = SplitMix64(text: parameter, index: index)
        var json = JSONWriter()
        json.open("{")
        json.field("id", SampleWords.padded(index + 1, to: 7))
        json.field("title", SampleWords.phrase(3, &random))
        json.field("description", SampleWords.phrase(6, &random) + ".")
        json.field("value", random.pick(1_000...9_999))
        json.field("createdAt", SampleWords.time(months: 1...12, &random))
        json.close("}")
        return json.bytes
    }

    var content: OriginContent {
        guard count > 0 else { return OriginContent(Array("[]".utf8)) }
        let byteCount = count * item(0).count + (count - 1) + 2
        let pieceCount = (count + Self.itemsPerPiece - 1) / Self.itemsPerPiece
        var content = OriginContent(byteCount: byteCount, pieceCount: pieceCount) { piece($0, upTo: count) }
        content.continuation = { piece($0 + pieceCount, upTo: .max) }
        return content
    }

    private func piece(_ number: Int, upTo end: Int) -> [UInt8] {
        let first = number * Self.itemsPerPiece
        let last = min(first + Self.itemsPerPiece, end)
        var bytes: [UInt8] = first == 0 ? [UInt8(ascii: "[")] : []
        for index in first..<last {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += item(index)
        }
        if last == end { bytes.append(UInt8(ascii: "]")) }
        return bytes
    }
}
