//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The address of a feed: its name and parameters, for example `products?category=electronics`.
///
/// A program makes one by `FeedKey(name: "products", parameters: [.init(name: "category", value: "electronics")])`, or reads what somebody typed
/// by `FeedKey(text:)`. Both are nil where a name breaks the rule.
///
/// The text form is `name?k=v&k2=v2` with parameters sorted by name and percent-encoded (RFC 3986, unreserved characters stay), at
/// most 400 bytes. Values are expected in Unicode NFC: normalize text that people type.
public struct FeedKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Longest text form, in bytes.
    package static let byteCountLimit = 400

    /// The namespace, empty for the default one.
    public let namespace: String
    /// The configured feed's name: `[a-z][a-z0-9-]{0,62}`.
    public let name: String
    /// Name and value of each parameter, sorted by name, names unique.
    public let parameters: [Parameter]
    /// The canonical text form.
    public let text: String

    /// One parameter of a feed.
    public struct Parameter: Hashable, Sendable {
        /// The parameter's name, by the same rule as a feed's name.
        public let name: String
        /// Its value, any text.
        public let value: String

        /// Joins a name and a value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A key of these parts; nil if a name is malformed or given twice, or the text form is over 400 bytes.
    public init?(name: String, parameters: [Parameter] = [], namespace: String = "") {
        guard PlainName.isName(name), namespace.isEmpty || PlainName.isName(namespace) else { return nil }
        let sorted = parameters.sorted { $0.name < $1.name }
        guard sorted.allSatisfy({ PlainName.isName($0.name) }) else { return nil }
        guard zip(sorted, sorted.dropFirst()).allSatisfy({ $0.name != $1.name }) else { return nil }
        var text = namespace.isEmpty ? name : namespace + "/" + name
        for (index, parameter) in sorted.enumerated() {
            text += (index == 0 ? "?" : "&") + parameter.name + "=" + Self.encode(parameter.value)
        }
        guard text.utf8.count <= Self.byteCountLimit else { return nil }
        (self.namespace, self.name, self.parameters, self.text) = (namespace, name, sorted, text)
    }

    /// Reads a text form; nil if it is not one. Parameters may come in any order.
    public init?(text: String) {
        // Each byte may be written as three: a longer text is no key, and its receiver must not spend time on reading it.
        guard text.utf8.count <= 3 * Self.byteCountLimit else { return nil }
        let (path, query) = Self.halves(text.utf8[...], at: UInt8(ascii: "?"))
        let (first, second) = Self.halves(path, at: UInt8(ascii: "/"))
        var parameters: [Parameter] = []
        var rest = query
        while let pairs = rest {
            let (pair, others) = Self.halves(pairs, at: UInt8(ascii: "&"))
            guard case (let name, let encoded?) = Self.halves(pair, at: UInt8(ascii: "=")), let value = Self.decode(encoded) else {
                return nil
            }
            parameters.append(Parameter(name: String(Substring(name)), value: value))
            rest = others
        }
        self.init(
            name: String(Substring(second ?? first)), parameters: parameters, namespace: second == nil ? "" : String(Substring(first)))
    }

    /// The value of a parameter, nil if the key has none of that name.
    public func value(of parameter: String) -> String? { parameters.first { $0.name == parameter }?.value }

    /// The canonical text form.
    public var description: String { text }

    /// Order of the text forms.
    public static func < (left: Self, right: Self) -> Bool { left.text < right.text }

    /// Equality of the text forms.
    public static func == (left: Self, right: Self) -> Bool { left.text == right.text }

    /// Feeds the text form to the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    // By bytes throughout: keys are read and written for every request about a feed, and at a restart for every reply that is kept.

    /// What stands before the first such byte, and what follows it (nil: there is none).
    private static func halves(_ text: Substring.UTF8View, at byte: UInt8) -> (Substring.UTF8View, Substring.UTF8View?) {
        guard let place = text.firstIndex(of: byte) else { return (text, nil) }
        return (text[..<place], text[text.index(after: place)...])
    }

    private static func encode(_ value: String) -> String {
        guard !value.utf8.allSatisfy(isUnreserved) else { return value }
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for byte in value.utf8 {
            text += isUnreserved(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// RFC 3986, section 2.3.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, 45, 46, 95, 126: true
        default: false
        }
    }

    private static func decode(_ text: Substring.UTF8View) -> String? {
        guard text.contains(UInt8(ascii: "%")) else { return String(Substring(text)) }
        var bytes: [UInt8] = []
        var rest = text.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(Self.hexadecimal), let low = rest.next().flatMap(Self.hexadecimal) else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}

/// Names of views that mean something to everybody.
public enum ViewName {
    /// Everybody's view of a feed, whose order is made together with the content.
    public static let shared = "shared"
}
