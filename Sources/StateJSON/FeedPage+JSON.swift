//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Client
import Model

extension FeedPage {
    /// Each item as JSON text on one line.
    public var itemLines: [String] { items.map { JSONValue.embedded($0).text } }

    /// The shape `page`; `next` is the offset of the next page.
    public var json: JSONValue { Self.shape.json(self) }

    private var next: UInt64? {
        let end = offset + UInt64(items.count)
        return end < itemCount ? end : nil
    }

    static let shape = JSONShape<FeedPage>(
        "page", "Items of a feed as a view shows them.",
        [
            .always("items", .list(of: .embedded), "In order.") { $0.items },
            .sometimes("next", .text, "The offset of the next page, where there is one.") { $0.next.map(String.init) },
            .always("offset", .count, "The first item's position.") { $0.offset },
            .always("itemCount", .count, "How many items the view has in all.") { $0.itemCount },
            .always("revision", .shape(ViewRevision.shape), "What the page was read by.") { $0.revision },
        ])
}
