//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// The samples of the origin: items, products, todos and images, each the same at every start.

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

/// Twenty products in the form of the Fake Store: `id`, `title`, `price`, `description`, `category`, `image`, `rating`
/// with `rate` and `count`.
struct SampleProducts: Sendable {
    /// Product ids from 1 by category.
    static let categories: [(name: String, ids: ClosedRange<Int>)] = [
        ("men's clothing", 1...4), ("jewelery", 5...8), ("electronics", 9...14), ("women's clothing", 15...20),
    ]
    private static let things = [
        "men's clothing": ["Jacket", "Shirt", "Backpack", "Coat"],
        "jewelery": ["Ring", "Bracelet", "Necklace", "Earrings"],
        "electronics": ["Drive", "Monitor", "Keyboard", "Speaker", "Camera", "Charger"],
        "women's clothing": ["Raincoat", "Blouse", "Scarf", "Cardigan", "Dress", "Gloves"],
    ]

    /// Address of the origin without a slash at the end; images are below it.
    let base: String

    /// All products, or those of one category; an unknown category has none.
    func list(category: String?) -> OriginContent {
        var json = JSONWriter()
        json.open("[")
        for (name, ids) in Self.categories where category == nil || category == name {
            for id in ids { write(id, category: name, into: &json) }
        }
        json.close("]")
        return OriginContent(json.bytes)
    }

    func product(_ id: Int) -> OriginContent? {
        guard let category = Self.categories.first(where: { $0.ids.contains(id) }) else { return nil }
        var json = JSONWriter()
        write(id, category: category.name, into: &json)
        return OriginContent(json.bytes)
    }

    private func write(_ id: Int, category: String, into json: inout JSONWriter) {
        var random = SplitMix64(text: "products", index: id)
        let things = Self.things[category] ?? ["Thing"]
        json.open("{")
        json.field("id", id)
        json.field("title", SampleWords.phrase(2, &random) + " " + things[id % things.count])
        json.key("price")
        json.raw("\(random.pick(5...999)).\(SampleWords.padded(random.pick(0...99), to: 2))")
        json.field("description", SampleWords.phrase(12, &random) + ".")
        json.field("category", category)
        json.field("image", "\(base)/images/product-\(id)")
        json.key("rating")
        json.open("{")
        json.key("rate")
        json.raw("\(random.pick(1...4)).\(random.pick(0...9))")
        json.field("count", random.pick(1...500))
        json.close("}")
        json.close("}")
    }
}

/// Thirty todos in the form of dummyjson: `id`, `todo`, `completed`, `userId`, in an object with `todos`, `total`, `skip`, `limit`.
///
/// Beside these each of `createdAt`, `dueAt` (RFC 3339) and `description` is sent for two of three todos, so that every pair
/// of them and their absence occur.
enum SampleTodos {
    static let count = 30
    private static let verbs = ["Paint the", "Repair the", "Visit the", "Draw the", "Measure the", "Clean the"]

    static let list: OriginContent = {
        var json = JSONWriter()
        json.open("{")
        json.key("todos")
        json.open("[")
        for id in 1...count { write(id, into: &json) }
        json.close("]")
        json.field("total", count)
        json.field("skip", 0)
        json.field("limit", count)
        json.close("}")
        return OriginContent(json.bytes)
    }()

    static func todo(_ id: Int) -> OriginContent? {
        guard (1...count).contains(id) else { return nil }
        var json = JSONWriter()
        write(id, into: &json)
        return OriginContent(json.bytes)
    }

    private static func write(_ id: Int, into json: inout JSONWriter) {
        var random = SplitMix64(text: "todos", index: id)
        json.open("{")
        json.field("id", id)
        json.field("todo", random.pick(verbs) + " " + SampleWords.phrase(2, &random).lowercased())
        json.key("completed")
        json.raw(random.pick(0...2) == 0 ? "true" : "false")
        json.field("userId", random.pick(1...100))
        let created = SampleWords.time(months: 1...6, &random)
        let due = SampleWords.time(months: 7...12, &random)
        let description = SampleWords.phrase(8, &random) + "."
        if id % 3 != 0 { json.field("createdAt", created) }
        if id % 3 != 1 { json.field("dueAt", due) }
        if id % 3 != 2 { json.field("description", description) }
        json.close("}")
    }
}

/// A small picture drawn from its id: 128 by 128 points of SVG with a few shapes in colors that belong together.
enum SampleImage {
    static func content(id: String) -> OriginContent {
        var random = SplitMix64(text: id, index: 0)
        let hue = random.pick(0...359)
        var shapes = "<rect width=\"128\" height=\"128\" fill=\"hsl(\(hue),45%,88%)\"/>"
        for number in 1...5 {
            let color = "hsl(\((hue + number * 47) % 360),60%,\(random.pick(35...65))%)"
            let (x, y, size) = (random.pick(16...112), random.pick(16...112), random.pick(8...36))
            shapes +=
                random.pick(0...1) == 0
                ? "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"\(size)\" fill=\"\(color)\"/>"
                : "<rect x=\"\(x - size / 2)\" y=\"\(y - size / 2)\" width=\"\(size)\" height=\"\(size)\" fill=\"\(color)\"/>"
        }
        let svg =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"128\" height=\"128\" viewBox=\"0 0 128 128\">\(shapes)</svg>\n"
        return OriginContent(contentType: "image/svg+xml", Array(svg.utf8))
    }
}
