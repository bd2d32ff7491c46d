//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How one thing is written as JSON: its fields in order. What writes a value and what its schema says of it are made of the same line, so
/// they cannot differ.
package struct JSONShape<Value>: NamedSchema {
    /// A member of the object.
    package struct Field: Sendable {
        let name: String
        let schema: JSONValue
        let isAlwaysThere: Bool
        let take: @Sendable (Value) -> JSONValue?

        /// A member that is always there.
        package static func always<Member>(
            _ name: String, _ kind: JSONKind<Member>, _ about: String, _ take: @escaping @Sendable (Value) -> Member
        ) -> Self {
            Self(name: name, schema: kind.schema(about), isAlwaysThere: true) { kind.write(take($0)) }
        }

        /// A member that has no key where its value is nil.
        package static func sometimes<Member>(
            _ name: String, _ kind: JSONKind<Member>, _ about: String, _ take: @escaping @Sendable (Value) -> Member?
        ) -> Self {
            Self(name: name, schema: kind.schema(about), isAlwaysThere: false) { take($0).map(kind.write) }
        }
    }

    /// What other schemas and `Protocol/schemas` call it.
    package let name: String
    private let about: String
    private let fields: [Field]

    /// A shape of these fields, in that order.
    /// - Parameter about: a sentence about the thing.
    package init(_ name: String, _ about: String, _ fields: [Field]) { (self.name, self.about, self.fields) = (name, about, fields) }

    /// The value as JSON.
    package func json(_ value: Value) -> JSONValue {
        var members: [JSONValue.Member] = []
        members.reserveCapacity(fields.count)
        for field in fields {
            if let member = field.take(value) { members.append(JSONValue.Member(name: field.name, value: member)) }
        }
        return .object(members)
    }

    /// The schema as a file: JSON Schema 2020-12, on many lines.
    package var schema: String {
        let head = JSONValue.object(
            ("$schema", .string("https://json-schema.org/draft/2020-12/schema")), ("title", .string(name)), ("description", .string(about)))
        guard case .object(let first) = head, case .object(let rest) = body else { return "" }
        return JSONValue.object(first + rest).lines + "\n"
    }

    /// What the schema says of the object itself. No other member may be there.
    var body: JSONValue {
        let properties = fields.map { JSONValue.Member(name: $0.name, value: $0.schema) }
        let required = fields.filter(\.isAlwaysThere).map { JSONValue.string($0.name) }
        return .object(
            ("type", .string("object")), ("properties", .object(properties)), ("required", .array(required)),
            ("additionalProperties", .bool(false)))
    }
}

extension JSONValue {
    /// The text on many lines, indented by two spaces.
    var lines: String { lines(behind: "\n") }

    private func lines(behind end: String) -> String {
        let inner = end + "  "
        switch self {
        case .array(let values) where !values.isEmpty:
            return "[" + inner + values.map { $0.lines(behind: inner) }.joined(separator: "," + inner) + end + "]"
        case .object(let members) where !members.isEmpty:
            let rows = members.map { JSONValue.string($0.name).text + ": " + $0.value.lines(behind: inner) }
            return "{" + inner + rows.joined(separator: "," + inner) + end + "}"
        case .string, .count, .number, .bool, .array, .object, .written: return text
        }
    }
}

/// A schema that has a name.
package protocol NamedSchema: Sendable {
    /// The name of its file without the ending.
    var name: String { get }
    /// The text of its file.
    var schema: String { get }
}
