//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Turns items into byte strings whose plain byte order is the order of DECISIONS 16.
///
/// A key is: class of the value (1 truth value, 2 number, 3 date, 4 text, 255 missing), the value, then the ties: creation date
/// (1 and 8 bytes, or 2 when missing) and the id's UTF-8 bytes. Descending inverts class and value, but neither "missing" nor the ties.
struct SortKeyEncoder {
    private enum Subject {
        case id
        case title
        case createdAt
        case field([UInt8])
    }

    private static let missing: UInt8 = 0xFF
    private let subject: Subject
    private let isAscending: Bool

    init(_ order: SortOrder) {
        subject =
            switch ItemPart(rawValue: order.field) {
            case .id: .id
            case .title: .title
            case .createdAt: .createdAt
            case .dueAt, .description, .icon, .origin, nil: .field(Array(order.field.utf8))
            }
        isAscending = order.ascending
    }

    /// Appends the item's key.
    func append(_ item: EncodedItem, to key: inout [UInt8]) {
        switch subject {
        case .id: append(.text(item.id), item, to: &key)
        case .title: append(.text(item.title), item, to: &key)
        case .createdAt: append(item.createdAt.map { .date($0) }, item, to: &key)
        case .field(let name): append(item.value(of: name), item, to: &key)
        }
        if let createdAt = item.createdAt {
            key.append(1)
            Self.appendBigEndian(UInt64(bitPattern: createdAt) ^ 1 << 63, to: &key)
        } else {
            key.append(2)  // Never 255: after the end of a text that would read as an escaped NUL.
        }
        key.append(contentsOf: item.bytes[item.id])
    }

    private func append(_ value: EncodedItem.Value?, _ item: EncodedItem, to key: inout [UInt8]) {
        let start = key.count
        switch value {
        case nil:
            key.append(Self.missing)
            return
        case .bool(let flag): key += [1, flag ? 1 : 0]
        case .number(let number):
            key.append(2)
            Self.appendBigEndian(Self.ordered(number), to: &key)
        case .date(let milliseconds):
            key.append(3)
            Self.appendBigEndian(UInt64(bitPattern: milliseconds) ^ 1 << 63, to: &key)
        case .text(let range):
            key.append(4)
            let textStart = key.count
            FoldedText.append(item.bytes, range, to: &key)
            Self.terminate(&key, from: textStart)
        }
        if !isAscending { for index in start..<key.count { key[index] = ~key[index] } }
    }

    /// Ends a text so that it sorts before every longer text that begins with it: 00 at the end, 00 FF for a NUL inside.
    private static func terminate(_ key: inout [UInt8], from start: Int) {
        if key[start...].contains(0) {
            let escaped = key[start...].flatMap { $0 == 0 ? [0, 0xFF] : [$0] }
            key.replaceSubrange(start..., with: escaped)
        }
        key.append(0)
    }

    /// Bits that compare unsigned as the numbers do.
    private static func ordered(_ number: Double) -> UInt64 {
        let bits = (number == 0 ? 0.0 : number).bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }

    private static func appendBigEndian(_ word: UInt64, to key: inout [UInt8]) {
        for shift in stride(from: UInt64(56), through: 0, by: -8) { key.append(UInt8(truncatingIfNeeded: word >> shift)) }
    }
}
