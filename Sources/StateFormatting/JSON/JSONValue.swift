//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// A JSON value whose objects keep the order of their members, so that the same state gives the same text.
package enum JSONValue: Hashable, Sendable {
    /// Text.
    case string(String)
    /// A whole number of at least zero.
    case count(UInt64)
    /// Any other number; not a number and infinity are written as null.
    case number(Double)
    /// True or false.
    case bool(Bool)
    /// Values in order.
    case array([JSONValue])
    /// Members in order; names are unique.
    case object([Member])
    /// JSON text that is already written, on one line.
    case written(String)

    /// A named value.
    package struct Member: Hashable, Sendable {
        /// The name, lowerCamelCase.
        package var name: String
        /// The value.
        package var value: JSONValue

        init(name: String, value: JSONValue) { (self.name, self.value) = (name, value) }

        /// A value with a name.
        package init(_ name: String, _ value: JSONValue) { self.init(name: name, value: value) }

        /// A text with a name.
        package init(_ name: String, text: String) { self.init(name: name, value: .string(text)) }
    }

    /// An object of the members that are there: what is nil has no key.
    package static func object(_ members: (String, JSONValue?)...) -> JSONValue {
        .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    /// A list with the cursor of its next page.
    package static func list(_ items: [JSONValue], next: String? = nil) -> JSONValue {
        object(("items", .array(items)), ("next", next.map { .string($0) }))
    }

    /// A whole number, also one below zero.
    package static func whole(_ number: Int) -> JSONValue { .number(Double(number)) }

    /// Texts in order.
    package static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

    /// The text on one line, without spaces.
    package var text: String {
        var json = JSONWriter()
        write(to: &json)
        return json.text
    }

    private func write(to json: inout JSONWriter) {
        switch self {
        case .string(let string): json.string(string)
        case .count(let count): json.raw(String(count))
        case .number(let number): json.number(number)
        case .bool(let bool): json.raw(bool ? "true" : "false")
        case .array(let values):
            json.open("[")
            for value in values { value.write(to: &json) }
            json.close("]")
        case .object(let members):
            json.open("{")
            for member in members {
                json.key(member.name)
                member.value.write(to: &json)
            }
            json.close("}")
        case .written(let written): json.raw(written)
        }
    }
}

/// JSON text that was made elsewhere, brought onto one line.
enum RenderedJSON {
    /// The text without white space between its tokens; nil when it is no UTF-8 or its brackets and quotes do not fit.
    static func onOneLine(_ bytes: [UInt8]) -> String? {
        var line: [UInt8] = []
        line.reserveCapacity(bytes.count)
        var closers: [UInt8] = []
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if isInString {
                guard byte >= 0x20 else { return nil }
                line.append(byte)
                if isEscaped { isEscaped = false } else if byte == 0x5C { isEscaped = true } else if byte == 0x22 { isInString = false }
                continue
            }
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: continue
            case 0x22: isInString = true
            case 0x7B: closers.append(0x7D)
            case 0x5B: closers.append(0x5D)
            case 0x7D, 0x5D: guard closers.popLast() == byte else { return nil }
            default: break
            }
            line.append(byte)
        }
        guard !isInString, closers.isEmpty, !line.isEmpty else { return nil }
        return String(validating: line, as: UTF8.self)
    }
}

extension JSONValue {
    /// JSON text of somebody else as it is, or as a string when it is none.
    static func embedded(_ bytes: [UInt8]) -> JSONValue {
        RenderedJSON.onOneLine(bytes).map { .written($0) } ?? .string(String(decoding: bytes, as: UTF8.self))
    }
}
