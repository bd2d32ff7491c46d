//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Client

extension FeedPage {
    /// Each item as JSON text on one line.
    public var itemLines: [String] { items.map { JSONValue.embedded($0).text } }

    /// The shape `page`; `next` is the offset of the next page.
    public var json: JSONValue {
        let end = offset + UInt64(items.count)
        return JSONValue.list(items.map { .embedded($0) }, next: end < itemCount ? String(end) : nil)
            .adding(("offset", .count(offset)), ("itemCount", .count(itemCount)), ("pair", pair.json))
    }
}
