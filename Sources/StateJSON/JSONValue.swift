//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A JSON value whose objects keep the order of their members, so that the same state gives the same text.
public enum JSONValue: Hashable, Sendable {
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
    public struct Member: Hashable, Sendable {
        /// The name, lowerCamelCase.
        public var name: String
        /// The value.
        public var value: JSONValue
    }

    /// An object of the members that are there: what is nil has no key.
    public static func object(_ members: (String, JSONValue?)...) -> JSONValue {
        .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    /// A list with the cursor of its next page.
    public static func list(_ items: [JSONValue], next: String? = nil) -> JSONValue {
        object(("items", .array(items)), ("next", next.map { .string($0) }))
    }

    /// The text on one line, without spaces.
    public var text: String {
        var text = ""
        write(into: &text)
        return text
    }

    /// The same value with further members behind its own; what is no object stays as it is.
    public func adding(_ members: (String, JSONValue?)...) -> JSONValue {
        guard case .object(let own) = self else { return self }
        return .object(own + members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    private func write(into text: inout String) {
        switch self {
        case .string(let string): Self.write(string, into: &text)
        case .count(let count): text += String(count)
        case .number(let number):
            guard number.isFinite else { return text += "null" }
            text += number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : String(number)
        case .bool(let bool): text += bool ? "true" : "false"
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(into: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                Self.write(member.name, into: &text)
                text += ":"
                member.value.write(into: &text)
            }
            text += "}"
        case .written(let written): text += written
        }
    }

    private static func write(_ string: String, into text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 32 || scalar.value == 0x7F || scalar.value == 0x2028 || scalar.value == 0x2029:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
