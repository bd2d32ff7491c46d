//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

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

/// What may stand in a member: how a value of Swift is written, and what the schema says of it.
package struct JSONKind<Member>: Sendable {
    private let rules: [JSONValue.Member]
    let write: @Sendable (Member) -> JSONValue

    init(_ rules: (String, JSONValue)..., write: @escaping @Sendable (Member) -> JSONValue) {
        self.rules = rules.map { JSONValue.Member(name: $0.0, value: $0.1) }
        self.write = write
    }

    fileprivate init(body: JSONValue, write: @escaping @Sendable (Member) -> JSONValue) {
        if case .object(let members) = body { rules = members } else { rules = [] }
        self.write = write
    }

    /// The schema of a member with these words about it.
    func schema(_ about: String) -> JSONValue { .object([JSONValue.Member(name: "description", value: .string(about))] + rules) }

    /// The schema where nothing more is said.
    fileprivate var plain: JSONValue { .object(rules) }

    /// The object of another shape, whose schema is a file of its own.
    package static func shape(_ shape: JSONShape<Member>) -> Self {
        Self(("$ref", .string(shape.name + ".json"))) { shape.json($0) }
    }

    /// The object of another shape that has no file.
    package static func inline(_ shape: JSONShape<Member>) -> Self { Self(body: shape.body) { shape.json($0) } }

    /// Values of one kind, in order.
    package static func list<Element>(of kind: JSONKind<Element>) -> Self where Member == [Element] {
        Self(("type", .string("array")), ("items", kind.plain)) { .array($0.map(kind.write)) }
    }

    private static func text(like pattern: String, _ text: @escaping @Sendable (Member) -> String) -> Self {
        Self(("type", .string("string")), ("pattern", .string(pattern))) { .string(text($0)) }
    }

    /// One of a closed set, each with its word.
    package static func word(_ all: [Member], _ name: @escaping @Sendable (Member) -> String) -> Self { text(all.map(name), name) }

    fileprivate static func text(_ words: [String], _ text: @escaping @Sendable (Member) -> String) -> Self {
        Self(("type", .string("string")), ("enum", .array(words.map { .string($0) }))) { .string(text($0)) }
    }
}

extension JSONKind where Member: CustomStringConvertible & Sendable {
    /// An identifier: its digits as text, since many readers of JSON have no numbers of 64 bits.
    package static var id: Self { text(like: "^[0-9]+$") { $0.description } }

    /// The name of an object.
    package static var digest: Self { text(like: "^[0-9a-f]{64}$") { $0.description } }

    /// The sum over a topic's items.
    package static var topicChecksum: Self { text(like: "^[0-9a-f]{16}$") { $0.description } }
}

extension JSONKind where Member: UnsignedInteger & FixedWidthInteger & Sendable {
    /// A whole number of at least zero.
    package static var count: Self { Self(("type", .string("integer")), ("minimum", .count(0))) { .count(UInt64($0)) } }

    /// A whole number from zero to that one.
    package static func count(to most: UInt64) -> Self {
        Self(("type", .string("integer")), ("minimum", .count(0)), ("maximum", .count(most))) { .count(UInt64($0)) }
    }
}

extension JSONKind where Member: CaseIterable & RawRepresentable & Sendable, Member.RawValue == String {
    /// One of a closed set of words.
    package static var word: Self { text(Member.allCases.map(\.rawValue)) { $0.rawValue } }
}

extension JSONKind<String> {
    /// Any text.
    package static var text: Self { Self(("type", .string("string"))) { .string($0) } }

    /// One of these words.
    package static func word(of words: [String]) -> Self { text(words) { $0 } }
}

extension JSONKind<Double> {
    /// Any number.
    package static var number: Self { Self(("type", .string("number"))) { .number($0) } }
}

extension JSONKind<Bool> {
    /// True or false.
    package static var bool: Self { Self(("type", .string("boolean"))) { .bool($0) } }
}

extension JSONKind<WallTime> {
    /// An instant: RFC 3339 in UTC with milliseconds.
    package static var time: JSONKind<WallTime> {
        text(like: #"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$"#) { $0.rfc3339 }
    }
}

extension JSONKind<[UInt8]> {
    /// JSON of somebody else.
    package static var embedded: Self { Self { .embedded($0) } }
}

extension JSONKind<[JSONValue.Member]> {
    /// Names and texts.
    package static var texts: Self {
        Self(("type", .string("object")), ("additionalProperties", .object(("type", .string("string"))))) { .object($0) }
    }
}

extension JSONKind<JSONValue> {
    /// An object of one of several shapes.
    package static var object: Self { Self(("type", .string("object"))) { $0 } }
}
