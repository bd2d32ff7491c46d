//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

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
