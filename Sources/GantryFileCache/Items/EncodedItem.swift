//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// One item as its bytes in a list, with the places of what merging, sorting and looking up need.
///
/// Byte order is little-endian. Layout: origin (1), 1 if a creation date follows (1), creation date (0 or 8, milliseconds since 1970 UTC),
/// id length (2), id, title length (4), title, field count (2), then for each field in the order of names: name length (1), name,
/// tag (1) and value: 0 bool (1 byte, 0 or 1), 1 number (8, IEEE 754 bits), 2 date (8, milliseconds), 3 text (length 4, UTF-8).
struct EncodedItem {
    let bytes: [UInt8]
    let range: Range<Int>
    let origin: ItemOrigin
    let createdAt: Int64?
    let id: Range<Int>
    let title: Range<Int>
    private let fieldsStart: Int

    enum Tag { static let bool: UInt8 = 0, number: UInt8 = 1, date: UInt8 = 2, text: UInt8 = 3 }

    /// A value that has not been copied out of the bytes.
    enum Value {
        case bool(Bool)
        case number(Double)
        case date(Int64)
        case text(Range<Int>)
    }

    /// Finds the parts of the item in `range` of `bytes`; nil when they are not an item.
    init?(bytes: [UInt8], range: Range<Int>) {
        var cursor = ByteCursor(offset: range.lowerBound, end: range.upperBound)
        guard let origin = cursor.byte(bytes).flatMap(ItemOrigin.init(rawValue:)), let isDated = cursor.byte(bytes), isDated <= 1 else {
            return nil
        }
        self.origin = origin
        if isDated == 1 {
            guard let word = cursor.word(bytes) else { return nil }
            createdAt = Int64(bitPattern: word)
        } else {
            createdAt = nil
        }
        guard let idCount = cursor.short(bytes), let id = cursor.skip(Int(idCount)), !id.isEmpty else { return nil }
        guard let titleCount = cursor.half(bytes), let title = cursor.skip(Int(titleCount)) else { return nil }
        self.bytes = bytes
        self.range = range
        self.id = id
        self.title = title
        fieldsStart = cursor.offset
    }

    /// Calls `body` with each field's name and value in order until it returns false; false when the bytes are not fields.
    @discardableResult
    func forEachField(_ body: (Range<Int>, Value) -> Bool) -> Bool {
        var cursor = ByteCursor(offset: fieldsStart, end: range.upperBound)
        guard let count = cursor.short(bytes) else { return false }
        for _ in 0..<count {
            guard let nameCount = cursor.byte(bytes), let name = cursor.skip(Int(nameCount)), let value = value(&cursor) else {
                return false
            }
            guard body(name, value) else { return true }
        }
        return cursor.offset == range.upperBound
    }

    /// The value of the field whose name has these UTF-8 bytes.
    func value(of name: [UInt8]) -> Value? {
        var found: Value?
        forEachField { range, value in
            guard range.count == name.count, bytes[range].elementsEqual(name) else { return true }
            found = value
            return false
        }
        return found
    }

    /// The item as a value with texts of its own; nil when the bytes are not an item.
    func decoded() -> ListItem? {
        var fields: [ListItem.Field] = []
        let isWhole = forEachField { name, value in
            let decoded: FieldValue =
                switch value {
                case .bool(let flag): .bool(flag)
                case .number(let number): .number(number)
                case .date(let milliseconds): .date(WallTime(milliseconds: milliseconds))
                case .text(let range): .text(text(range))
                }
            fields.append(ListItem.Field(name: text(name), value: decoded))
            return true
        }
        guard isWhole else { return nil }
        return ListItem(
            id: text(id), title: text(title), createdAt: createdAt.map { WallTime(milliseconds: $0) }, origin: origin, fields: fields)
    }

    /// Appends the item as one of the source that has a creation date.
    func append(datedAt milliseconds: Int64, to other: inout [UInt8]) {
        other.append(ItemOrigin.source.rawValue)
        other.append(1)
        LittleEndian.append(milliseconds, to: &other)
        other.append(contentsOf: bytes[range.lowerBound + (createdAt == nil ? 2 : 10)..<range.upperBound])
    }

    /// Whether the other item has the same id.
    func hasID(of other: EncodedItem) -> Bool { bytes[id].elementsEqual(other.bytes[other.id]) }

    /// The sums of the id.
    var idSums: (index: UInt64, check: UInt64) { ObjectName.idSums(bytes[id]) }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private func value(_ cursor: inout ByteCursor) -> Value? {
        switch cursor.byte(bytes) {
        case Tag.bool?: return cursor.byte(bytes).flatMap { $0 <= 1 ? .bool($0 == 1) : nil }
        case Tag.number?: return cursor.word(bytes).map { .number(Double(bitPattern: $0)) }
        case Tag.date?: return cursor.word(bytes).map { .date(Int64(bitPattern: $0)) }
        case Tag.text?: return cursor.half(bytes).flatMap { cursor.skip(Int($0)) }.map { .text($0) }
        default: return nil
        }
    }
}

/// Reads little-endian integers from a part of an array that it does not hold; every read answers nil at the end instead of trapping.
private struct ByteCursor {
    private(set) var offset: Int
    let end: Int

    mutating func byte(_ bytes: [UInt8]) -> UInt8? {
        guard offset < end else { return nil }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func short(_ bytes: [UInt8]) -> UInt16? {
        guard end - offset >= 2 else { return nil }
        defer { offset += 2 }
        return UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
    }

    mutating func half(_ bytes: [UInt8]) -> UInt32? {
        guard end - offset >= 4 else { return nil }
        defer { offset += 4 }
        return LittleEndian.half(bytes, offset)
    }

    mutating func word(_ bytes: [UInt8]) -> UInt64? {
        guard end - offset >= 8 else { return nil }
        defer { offset += 8 }
        return LittleEndian.word(bytes, offset)
    }

    mutating func skip(_ count: Int) -> Range<Int>? {
        guard count <= end - offset else { return nil }
        defer { offset += count }
        return offset..<offset + count
    }
}

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
            // Minus zero becomes zero, since equal items have to give equal bytes.
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
