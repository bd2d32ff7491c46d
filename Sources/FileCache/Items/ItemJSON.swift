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
        var text = Array("{\"id\":".utf8)
        append(item.id, to: &text)
        text.append(contentsOf: ",\"title\":".utf8)
        append(item.title, to: &text)
        if let createdAt = item.createdAt { text.append(contentsOf: ",\"createdAt\":\"\(createdAt.rfc3339)\"".utf8) }
        for field in item.fields where !["id", "title", "createdAt", "origin"].contains(field.name) {
            text.append(0x2C)
            append(field.name, to: &text)
            text.append(0x3A)
            append(field.value, to: &text)
        }
        switch item.origin {
        case .source: break
        case .hand: text.append(contentsOf: ",\"origin\":\"hand\"".utf8)
        case .edited: text.append(contentsOf: ",\"origin\":\"edited\"".utf8)
        }
        text.append(0x7D)
        return text
    }

    private static func append(_ value: FieldValue, to text: inout [UInt8]) {
        switch value {
        case .bool(let value): text.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let value):
            let isWhole = value == value.rounded() && abs(value) < 9_007_199_254_740_992
            text.append(contentsOf: (isWhole ? String(Int64(value)) : value.isFinite ? String(value) : "null").utf8)
        case .date(let value): text.append(contentsOf: "\"\(value.rfc3339)\"".utf8)
        case .text(let value): append(value, to: &text)
        }
    }

    /// A JSON string (RFC 8259, section 7).
    private static func append(_ string: String, to text: inout [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        text.append(0x22)
        for byte in string.utf8 {
            switch byte {
            case 0x22, 0x5C:
                text.append(0x5C)
                text.append(byte)
            case 0x0A: text.append(contentsOf: [0x5C, 0x6E])
            case 0x00..<0x20: text.append(contentsOf: [0x5C, 0x75, 0x30, 0x30, digits[Int(byte >> 4)], digits[Int(byte & 15)]])
            default: text.append(byte)
            }
        }
        text.append(0x22)
    }
}
