//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

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
