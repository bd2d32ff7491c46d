//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// An item as JSON text: `id`, `title`, `createdAt` if there is one, the fields by name, and `origin` unless it is the source.
///
/// Dates are RFC 3339 text in UTC, numbers without a fraction have none. A field cannot hide `id`, `title`, `createdAt` or `origin`.
public enum ItemJSON {
    /// What a creation date and an origin that an item gets after it was added make its text longer by, at most.
    static let laterByteCount = 64

    /// One line of JSON in UTF-8.
    public static func encode(_ item: ListItem) -> [UInt8] {
        var json = JSONWriter()
        json.open("{")
        json.field("id", item.id)
        json.field("title", item.title)
        if let createdAt = item.createdAt { json.field("createdAt", createdAt.rfc3339) }
        for field in item.fields where !["id", "title", "createdAt", "origin"].contains(field.name) {
            json.key(field.name)
            switch field.value {
            case .bool(let value): json.raw(value ? "true" : "false")
            case .number(let value): json.number(value)
            case .date(let value): json.string(value.rfc3339)
            case .text(let value): json.string(value)
            }
        }
        switch item.origin {
        case .source: break
        case .manual: json.field("origin", "manual")
        case .edited: json.field("origin", "edited")
        }
        json.close("}")
        return json.bytes
    }
}
