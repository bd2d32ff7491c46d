//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

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

/// Words for generated texts. All have five letters, so that a generated item has the same size whatever its seed.
enum SampleWords {
    static let all = [
        "amber", "birch", "cedar", "delta", "ember", "flint", "grove", "heron", "inlet", "jetty", "kayak", "larch", "maple", "north",
        "ocean", "pearl", "quill", "river", "stone", "tower", "umbra", "vivid", "wheat", "xenon", "young", "zebra", "brook", "cliff",
        "drift", "frost", "glade", "haven",
    ]

    /// `count` words, the first with a capital letter.
    static func phrase(_ count: Int, _ random: inout SplitMix64) -> String {
        let words = (0..<count).map { _ in random.pick(all) }.joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// An RFC 3339 time in UTC of 2025, in one of `months`.
    static func time(months: ClosedRange<Int>, _ random: inout SplitMix64) -> String {
        func two(_ range: ClosedRange<Int>) -> String { padded(random.pick(range), to: 2) }
        return "2025-\(two(months))-\(two(1...28))T\(two(0...23)):\(two(0...59)):00Z"
    }

    /// `number` in decimal with leading zeros.
    static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// Sample data follow from their names alone, on every machine and in every version.
extension SplitMix64 {
    /// The numbers of element `index` of the list named `text`; any element can be made without those before it.
    init(text: String, index: Int) {
        // FNV-1a over the UTF-8 bytes.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        self.init(seed: hash &+ UInt64(truncatingIfNeeded: index) &* 0xd134_2543_de82_ef95)
    }

    /// A number in `range`, by remainder: stable, and even enough for sample data.
    mutating func pick(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// One of `choices`, which must not be empty.
    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int(next() % UInt64(choices.count))]
    }
}
