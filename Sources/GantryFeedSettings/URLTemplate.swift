//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// An address with names in braces, for example `http://127.0.0.1/items?parameter={parameter}` (RFC 6570, level 1).
///
/// In JSON it is its text.
package struct URLTemplate: Hashable, Sendable, CustomStringConvertible {
    private enum Part: Hashable {
        case literal(String)
        case name(String)
    }

    /// The text as written.
    package let description: String
    private let parts: [Part]

    /// Reads a template.
    ///
    /// - Returns: nil if a brace has no partner or a name is empty or has other characters than letters, digits, `_`, `-`
    ///   and `.`, which includes the operators of the higher levels. `-` is not in RFC 6570 but in parameter names.
    package init?(_ text: String) {
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
    package var names: [String] {
        parts.compactMap { if case .name(let name) = $0 { name } else { nil } }
    }

    /// Whether a name stands in front of the path: then who chooses its value chooses the server that is asked.
    package var hasNameInAuthority: Bool {
        var literal = ""
        for part in parts {
            switch part {
            case .literal(let text): literal += text
            case .name: return !Self.hasPath(literal)
            }
        }
        return false
    }

    /// The address with each name replaced by its value, percent-encoded but for unreserved characters; a name without a
    /// value becomes nothing (RFC 6570, section 3.2.2).
    /// - Throws: `URLTemplateError` when values make a whole segment of the path `.` or `..`: the server would take it for another path.
    package func expanded(_ value: (String) -> String?) throws(URLTemplateError) -> String {
        let text = expandedUnchecked(value)
        // What the configuration itself says with dots is meant so.
        guard Self.dotSegmentCount(text) > Self.dotSegmentCount(expandedUnchecked { _ in "x" }) else { return text }
        throw URLTemplateError(template: description)
    }

    private func expandedUnchecked(_ value: (String) -> String?) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal): text += literal
            case .name(let name): for byte in (value(name) ?? "").utf8 { Self.append(byte, to: &text) }
            }
        }
        return text
    }

    /// Whether an address goes on behind host and port.
    private static func hasPath(_ text: String) -> Bool {
        guard let authority = text.firstRange(of: "://") else { return false }
        return text[authority.upperBound...].contains { $0 == "/" || $0 == "?" }
    }

    /// Segments of the path that are `.` or `..`, also with the dots percent-encoded (RFC 3986, section 5.2.4).
    private static func dotSegmentCount(_ text: String) -> Int {
        let path = text.prefix { $0 != "?" && $0 != "#" }
        return path.split(separator: "/").count { [".", ".."].contains($0.lowercased().replacing("%2e", with: ".")) }
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
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let template = URLTemplate(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no URL template: \(text)"))
        }
        self = template
    }

    /// Writes the text.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension URLTemplate {
    /// What is wrong between `://` and the path, where people write host and port.
    package enum AuthorityFault: Hashable, Sendable {
        /// No host stands there.
        case noHost
        /// A user or a password stands there, which no loader sends.
        case credentials
        /// What stands behind the host's colon is no port of 1 to 65,535.
        case port(String)
    }

    /// What is wrong with host and port; nil: nothing.
    package var authorityFault: AuthorityFault? {
        guard let scheme = description.firstRange(of: "://") else { return .noHost }
        let authority = description[scheme.upperBound...].prefix { !"/?#".contains($0) }
        if authority.contains("@") { return .credentials }
        let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        guard !host.isEmpty, host != "[", !host.hasPrefix("[") || authority.contains("]") else { return .noHost }
        let port = authority.dropFirst(host.count).drop { $0 == "]" }
        guard port.hasPrefix(":") else { return port.isEmpty ? nil : .port(String(port)) }
        let number = port.dropFirst()
        return (HostAndPort.number(number, as: UInt16.self) ?? 0) > 0 ? nil : .port(String(number))
    }
}

/// Values that a template cannot be expanded with.
package struct URLTemplateError: CodedError {
    /// The template as written.
    package let template: String

    /// Whoever gave the value gave what cannot be.
    package var code: FailureCode { .invalidData }
    /// What is wrong.
    package var context: String { "a value makes a part of the path \(Self.path(of: template)) \".\" or \"..\", which means another path" }
    /// The value comes from outside, the template stays.
    package var nextStep: String { "choose another value" }
    /// Nothing lies beneath: the values are what was looked at.
    package var cause: ErrorCause? { nil }

    /// The path alone: what stands before and behind it may hold a password or a token.
    private static func path(of template: String) -> Substring {
        let authority = template.firstRange(of: "://").map { template[$0.upperBound...] } ?? template[...]
        return authority.drop { $0 != "/" }.prefix { $0 != "?" && $0 != "#" }
    }
}
