//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// Writes items in the layout of `EncodedItem`; the same item always gives the same bytes.
enum ItemEncoder {
    static let largestID = MessageBounds.itemIDByteCount

    /// Appends the item's bytes.
    ///
    /// - Throws: `invalidItem` for an empty id, a nameless field or a number that is not finite; `tooLarge` for a text over its bound.
    static func append(_ item: ListItem, limits: CacheLimits, to bytes: inout [UInt8]) throws(FileCacheError) {
        let start = bytes.count
        bytes.append(item.origin.rawValue)
        bytes.append(item.createdAt == nil ? 0 : 1)
        if let createdAt = item.createdAt { LittleEndian.append(createdAt.milliseconds, to: &bytes) }
        let idCount = item.id.utf8.count
        guard idCount > 0 else {
            throw FileCacheError(.invalidItem, "an item titled \"\(item.title.prefix(60))\" has an empty id: give each item an id")
        }
        guard idCount <= largestID else { throw tooLarge(item, "its id has \(idCount) bytes (limit \(largestID))") }
        LittleEndian.append(UInt16(idCount), to: &bytes)
        bytes.append(contentsOf: item.id.utf8)
        try text(item.title, of: item, limits: limits, to: &bytes)
        guard item.fields.count <= ListItem.fieldCountLimit else {
            throw tooLarge(item, "it has \(item.fields.count) fields (limit \(ListItem.fieldCountLimit))")
        }
        LittleEndian.append(UInt16(item.fields.count), to: &bytes)
        for field in item.fields { try append(field, of: item, limits: limits, to: &bytes) }
        guard bytes.count - start <= limits.itemByteCount else {
            throw tooLarge(item, "it has \(bytes.count - start) bytes (limit \(limits.itemByteCount))")
        }
        try checkJSON(of: item, encodedByteCount: bytes.count - start, limits: limits)
    }

    /// What a byte of text becomes as JSON at most: `\u001f`.
    private static var mostOfByte: Int { 6 }
    /// The names and marks of what every item has, as JSON.
    private static var namesByteCount: Int { 256 }
    /// A field's name has its length in one byte.
    private static var longestName: Int { Int(UInt8.max) }

    /// A byte becomes at most six of JSON, and the names and dates of an item are short: most items need no second look.
    private static func checkJSON(of item: ListItem, encodedByteCount: Int, limits: CacheLimits) throws(FileCacheError) {
        guard encodedByteCount * mostOfByte + namesByteCount > limits.itemJSONByteCount else { return }
        let byteCount = ItemJSON.encode(item).count + ItemJSON.laterByteCount
        guard byteCount <= limits.itemJSONByteCount else {
            throw tooLarge(item, "as JSON it has \(byteCount) bytes (limit \(limits.itemJSONByteCount)): shorten its texts at the source")
        }
    }

    private static func append(
        _ field: ListItem.Field, of item: ListItem, limits: CacheLimits, to bytes: inout [UInt8]
    ) throws(FileCacheError) {
        let nameCount = field.name.utf8.count
        guard nameCount > 0 else { throw FileCacheError(.invalidItem, "item \"\(item.id)\" has a field without a name: name it") }
        guard nameCount <= longestName else { throw tooLarge(item, "a field's name has \(nameCount) bytes (limit \(longestName))") }
        bytes.append(UInt8(nameCount))
        bytes.append(contentsOf: field.name.utf8)
        switch field.value {
        case .bool(let flag): bytes += [EncodedItem.Tag.bool, flag ? 1 : 0]
        case .number(let number):
            guard number.isFinite else {
                throw FileCacheError(.invalidItem, "field \"\(field.name)\" of item \"\(item.id)\" is not a finite number: leave it out")
            }
            bytes.append(EncodedItem.Tag.number)
            LittleEndian.append(number == 0 ? 0 : number.bitPattern, to: &bytes)
        case .date(let date):
            bytes.append(EncodedItem.Tag.date)
            LittleEndian.append(date.milliseconds, to: &bytes)
        case .text(let value):
            bytes.append(EncodedItem.Tag.text)
            try text(value, of: item, limits: limits, to: &bytes)
        }
    }

    private static func text(_ text: String, of item: ListItem, limits: CacheLimits, to bytes: inout [UInt8]) throws(FileCacheError) {
        let count = text.utf8.count
        guard count <= limits.itemByteCount else {
            throw tooLarge(item, "one text has \(count) bytes (limit \(limits.itemByteCount) an item)")
        }
        LittleEndian.append(UInt32(count), to: &bytes)
        bytes.append(contentsOf: text.utf8)
    }

    private static func tooLarge(_ item: ListItem, _ what: String) -> FileCacheError {
        FileCacheError(.tooLarge, "item \"\(item.id.prefix(60))\" is too large: \(what)")
    }
}

/// An item as JSON text: `id`, `title`, `createdAt` if there is one, the fields by name, and `origin` unless it is the source.
///
/// Dates are RFC 3339 text in UTC, numbers without a fraction have none. A field cannot hide `id`, `title`, `createdAt` or `origin`.
package enum ItemJSON {
    /// What a creation date and an origin that an item gets after it was added make its text longer by, at most.
    fileprivate static let laterByteCount = 64

    /// One line of JSON in UTF-8.
    package static func encode(_ item: ListItem) -> [UInt8] {
        var json = JSONWriter()
        json.open("{")
        json.field(ItemPart.id.rawValue, item.id)
        json.field(ItemPart.title.rawValue, item.title)
        if let createdAt = item.createdAt { json.field(ItemPart.createdAt.rawValue, createdAt.rfc3339) }
        for field in item.fields where !ItemPart.apart.contains(field.name) {
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
        case .manual: json.field(ItemPart.origin.rawValue, "manual")
        case .edited: json.field(ItemPart.origin.rawValue, "edited")
        }
        json.close("}")
        return json.bytes
    }
}
