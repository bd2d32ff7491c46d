//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedSettings
package import GantryModel

/// A JSON value whose grammar has been checked by `JSONScanner`: finds and reads parts of it without making a tree.
package struct JSONText {
    /// The kinds of value that the mapping tells apart.
    package enum Value: Hashable {
        case null
        case bool(Bool)
        /// The number as written.
        case number(String)
        case text(String)
        case array
        case object
        /// A text that is no well-formed UTF-8 or has a lone surrogate.
        case malformed
        /// An object on the way has the name twice, so that readers differ in what it says (RFC 8259, section 4).
        case repeated
    }

    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// The value at a place; nil if there is none.
    ///
    /// - Complexity: O(bytes).
    package func value(at steps: [JSONStep]) -> Value? {
        var position = skipSpace(0)
        for step in steps {
            guard byte(position) == UInt8(ascii: "{") else {
                guard let next = element(step, of: position) else { return nil }
                position = next
                continue
            }
            let places = members(step, of: position)
            guard let next = places.first else { return nil }
            guard places.again == nil else { return .repeated }
            position = next
        }
        return read(position)
    }

    /// Whether it is an object.
    package var isObject: Bool { byte(skipSpace(0)) == UInt8(ascii: "{") }

    /// What it is, with an article.
    package var kind: String { JSONScanner.kind(byte(skipSpace(0))) ?? "nothing" }

    /// Name and value of each member of the outermost object; nil if it is none or a name is malformed.
    func members() -> [(name: String, value: Value)]? {
        var position = skipSpace(0)
        guard byte(position) == UInt8(ascii: "{") else { return nil }
        var members: [(name: String, value: Value)] = []
        position = skipSpace(position + 1)
        while byte(position) == 0x22 {
            let end = skipString(position)
            guard let name = Self.unescaped(bytes[(position + 1)..<(end - 1)]) else { return nil }
            position = skipSpace(skipSpace(end) + 1)
            members.append((name, read(position)))
            position = skipSpace(skipValue(position))
            if byte(position) == UInt8(ascii: ",") { position = skipSpace(position + 1) }
        }
        return members
    }

    /// The index that a step means in an array.
    static func index(_ token: String) -> Int? { JSONPointer.index(token) }

    /// The text between two quotes, escapes resolved; nil for malformed UTF-8 and lone surrogates.
    static func unescaped(_ slice: ArraySlice<UInt8>) -> String? {
        guard slice.contains(0x5C) else { return String(validating: slice, as: UTF8.self) }
        var text: [UInt8] = []
        var rest = slice
        while let byte = rest.popFirst() {
            guard byte == 0x5C else {
                text.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "u"):
                guard let scalar = scalar(&rest) else { return nil }
                text.append(contentsOf: String(Character(scalar)).utf8)
            case .some(let other): text.append(other)
            case nil: return nil
            }
        }
        return String(validating: text, as: UTF8.self)
    }

    private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let high = unit(&rest) else { return nil }
        guard (0xD800...0xDBFF).contains(high) else { return Unicode.Scalar(high) }
        guard rest.popFirst() == 0x5C, rest.popFirst() == UInt8(ascii: "u"), let low = unit(&rest), (0xDC00...0xDFFF).contains(low) else {
            return nil
        }
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    }

    private static func unit(_ rest: inout ArraySlice<UInt8>) -> UInt32? {
        let digits = rest.prefix(4)
        rest = rest.dropFirst(4)
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private func read(_ position: Int) -> Value {
        switch byte(position) {
        case 0x22: Self.unescaped(bytes[(position + 1)..<max(position + 1, skipString(position) - 1)]).map { .text($0) } ?? .malformed
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "t"): .bool(true)
        case UInt8(ascii: "f"): .bool(false)
        case UInt8(ascii: "n"): .null
        default: .number(String(decoding: bytes[position..<skipValue(position)], as: UTF8.self))
        }
    }

    /// Where the value of a name is, and where it is a second time.
    private func members(_ step: JSONStep, of object: Int) -> (first: Int?, again: Int?) {
        var first: Int?
        var position = skipSpace(object + 1)
        while byte(position) == 0x22 {
            let end = skipString(position)
            let value = skipSpace(skipSpace(end) + 1)
            if step.matches(escaped: bytes[(position + 1)..<(end - 1)]) {
                guard first == nil else { return (first, value) }
                first = value
            }
            position = skipSpace(skipValue(value))
            if byte(position) == UInt8(ascii: ",") { position = skipSpace(position + 1) }
        }
        return (first, nil)
    }

    private func element(_ step: JSONStep, of array: Int) -> Int? {
        guard byte(array) == UInt8(ascii: "["), let wanted = step.index else { return nil }
        var position = skipSpace(array + 1)
        var index = 0
        while position < bytes.count, byte(position) != UInt8(ascii: "]") {
            if index == wanted { return position }
            position = skipSpace(skipValue(position))
            guard byte(position) == UInt8(ascii: ",") else { return nil }
            position = skipSpace(position + 1)
            index += 1
        }
        return nil
    }

    /// 0 past the end, so that even an unchecked text cannot read outside.
    private func byte(_ position: Int) -> UInt8 { position < bytes.count ? bytes[position] : 0 }

    private func skipSpace(_ start: Int) -> Int {
        var position = start
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return position
            }
        }
        return position
    }

    /// The position behind the closing quote.
    private func skipString(_ start: Int) -> Int {
        var position = start + 1
        while position < bytes.count, bytes[position] != 0x22 { position += bytes[position] == 0x5C ? 2 : 1 }
        return min(position + 1, bytes.count)
    }

    private func skipValue(_ start: Int) -> Int {
        var position = start
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case 0x22:
                position = skipString(position)
                if depth == 0 { return position }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return position }
                depth -= 1
                if depth == 0 { return position + 1 }
            case UInt8(ascii: ","), 0x20, 0x0A, 0x0D, 0x09:
                if depth == 0 { return position }
            default: break
            }
            position += 1
        }
        return position
    }
}

/// One step of a JSON Pointer, prepared for comparing with raw bytes.
package struct JSONStep: Hashable, Sendable {
    /// The name in UTF-8, unescaped.
    let name: [UInt8]
    /// What it means in an array; nil: a name only.
    let index: Int?

    package init(_ token: String) {
        name = Array(token.utf8)
        index = JSONText.index(token)
    }

    /// Whether a name as it stands between its quotes, escapes and all, is this step's.
    func matches(escaped key: ArraySlice<UInt8>) -> Bool {
        guard key.contains(0x5C) else { return key.elementsEqual(name) }
        guard let text = JSONText.unescaped(key) else { return false }
        return text.utf8.elementsEqual(name)
    }
}

/// Why bytes are not the JSON that was expected; without the name of where they came from.
package struct JSONFault: CodedError {
    /// What is wrong and where, the end of a sentence that names where the bytes came from; with the next step where there is one.
    package let context: String

    package init(_ context: String) { self.context = context }

    /// A source sent what cannot be.
    package var code: FailureCode { .invalidData }
    /// In the context: what helps depends on the byte.
    package var nextStep: String { "" }
    /// Nothing lies beneath: the bytes are what was looked at.
    package var cause: ErrorCause? { nil }

    /// What a source may send.
    package static let accepted = "a JSON array of objects with unique ids"
}
