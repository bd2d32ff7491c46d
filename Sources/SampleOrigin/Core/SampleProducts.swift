//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

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
