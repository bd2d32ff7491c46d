//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import GantryModel

/// What may stand in a member: how a value of Swift is written, and what the schema says of it.
public struct JSONKind<Member>: Sendable {
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
    public static func shape(_ shape: JSONShape<Member>) -> Self {
        Self(("$ref", .string(shape.name + ".json"))) { shape.json($0) }
    }

    /// The object of another shape that has no file.
    public static func inline(_ shape: JSONShape<Member>) -> Self { Self(body: shape.body) { shape.json($0) } }

    /// Values of one kind, in order.
    public static func list<Element>(of kind: JSONKind<Element>) -> Self where Member == [Element] {
        Self(("type", .string("array")), ("items", kind.plain)) { .array($0.map(kind.write)) }
    }

    private static func text(like pattern: String, _ text: @escaping @Sendable (Member) -> String) -> Self {
        Self(("type", .string("string")), ("pattern", .string(pattern))) { .string(text($0)) }
    }

    /// One of a closed set, each with its word.
    public static func word(_ all: [Member], _ name: @escaping @Sendable (Member) -> String) -> Self { text(all.map(name), name) }

    fileprivate static func text(_ words: [String], _ text: @escaping @Sendable (Member) -> String) -> Self {
        Self(("type", .string("string")), ("enum", .array(words.map { .string($0) }))) { .string(text($0)) }
    }
}

extension JSONKind where Member: CustomStringConvertible & Sendable {
    /// An identifier: its digits as text, since many readers of JSON have no numbers of 64 bits.
    public static var id: Self { text(like: "^[0-9]+$") { $0.description } }

    /// The name of an object.
    public static var digest: Self { text(like: "^[0-9a-f]{64}$") { $0.description } }

    /// The sum over a topic's items.
    public static var topicChecksum: Self { text(like: "^[0-9a-f]{16}$") { $0.description } }
}

extension JSONKind where Member: UnsignedInteger & FixedWidthInteger & Sendable {
    /// A whole number of at least zero.
    public static var count: Self { Self(("type", .string("integer")), ("minimum", .count(0))) { .count(UInt64($0)) } }

    /// A whole number from zero to that one.
    public static func count(to most: UInt64) -> Self {
        Self(("type", .string("integer")), ("minimum", .count(0)), ("maximum", .count(most))) { .count(UInt64($0)) }
    }
}

extension JSONKind where Member: CaseIterable & RawRepresentable & Sendable, Member.RawValue == String {
    /// One of a closed set of words.
    public static var word: Self { text(Member.allCases.map(\.rawValue)) { $0.rawValue } }
}

extension JSONKind<String> {
    /// Any text.
    public static var text: Self { Self(("type", .string("string"))) { .string($0) } }

    /// One of these words.
    public static func word(of words: [String]) -> Self { text(words) { $0 } }
}

extension JSONKind<Double> {
    /// Any number.
    public static var number: Self { Self(("type", .string("number"))) { .number($0) } }
}

extension JSONKind<Bool> {
    /// True or false.
    public static var bool: Self { Self(("type", .string("boolean"))) { .bool($0) } }
}

extension JSONKind<WallTime> {
    /// An instant: RFC 3339 in UTC with milliseconds.
    public static var time: Self {
        text(like: #"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$"#) { $0.rfc3339 }
    }
}

extension JSONKind<[UInt8]> {
    /// JSON of somebody else.
    public static var embedded: Self { Self { .embedded($0) } }
}

extension JSONKind<[JSONValue.Member]> {
    /// Names and texts.
    public static var texts: Self {
        Self(("type", .string("object")), ("additionalProperties", .object(("type", .string("string"))))) { .object($0) }
    }
}

extension JSONKind<JSONValue> {
    /// An object of one of several shapes.
    public static var object: Self { Self(("type", .string("object"))) { $0 } }
}
