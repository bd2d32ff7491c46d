//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// An address with names in braces, for example `http://127.0.0.1/items?parameter={parameter}` (RFC 6570, level 1).
///
/// In JSON it is its text.
public struct URLTemplate: Hashable, Sendable, CustomStringConvertible {
    private enum Part: Hashable {
        case literal(String)
        case name(String)
    }

    /// The text as written.
    public let description: String
    private let parts: [Part]

    /// Reads a template.
    ///
    /// - Returns: nil if a brace has no partner or a name is empty or has other characters than letters, digits, `_`, `-`
    ///   and `.`, which includes the operators of the higher levels. `-` is not in RFC 6570 but in parameter names.
    public init?(_ text: String) {
        var parts: [Part] = []
        var rest = Substring(text)
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else { return nil }
            let name = rest[rest.index(after: open)..<close]
            let isName = name.utf8.allSatisfy { Self.isUnreserved($0) && $0 != UInt8(ascii: "~") }
            guard !name.isEmpty, isName else { return nil }
            if open > rest.startIndex { parts.append(.literal(String(rest[..<open]))) }
            parts.append(.name(String(name)))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.literal(String(rest))) }
        self.parts = parts
        description = text
    }

    /// The names in order of use, with repetitions.
    public var names: [String] {
        parts.compactMap { if case .name(let name) = $0 { name } else { nil } }
    }

    /// The address with each name replaced by its value, percent-encoded but for unreserved characters; a name without a
    /// value becomes nothing (RFC 6570, section 3.2.2).
    public func expanded(_ value: (String) -> String?) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal): text += literal
            case .name(let name): for byte in (value(name) ?? "").utf8 { Self.append(byte, to: &text) }
            }
        }
        return text
    }

    private static func append(_ byte: UInt8, to text: inout String) {
        if isUnreserved(byte) {
            text.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
            let digits = String(byte, radix: 16, uppercase: true)
            text += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
        }
    }

    /// RFC 3986, section 2.3.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }
}

extension URLTemplate: Codable {
    /// Reads the text.
    /// - Throws: `DecodingError` for a text that is no template.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let template = URLTemplate(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no URL template: \(text)"))
        }
        self = template
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
