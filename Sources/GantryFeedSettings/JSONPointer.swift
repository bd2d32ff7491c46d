//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A place in a JSON document (RFC 6901), for example `/data/0/name`; the empty pointer is the whole document.
///
/// In JSON it is its text.
package struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    /// The steps from the root, unescaped. In an array a step is an index in decimal without leading zeros.
    package let tokens: [String]

    /// The whole document.
    package static let root = JSONPointer(tokens: [])

    private init(tokens: [String]) { self.tokens = tokens }

    /// A member of the outermost object.
    package static func member(_ name: String) -> JSONPointer { JSONPointer(tokens: [name]) }

    /// Reads the text form (RFC 6901, sections 3 and 4).
    ///
    /// - Returns: nil if the text is not empty and does not begin with `/`, or has a `~` not followed by 0 or 1.
    package init?(_ text: String) {
        guard !text.isEmpty else {
            tokens = []
            return
        }
        guard text.first == "/" else { return nil }
        var tokens: [String] = []
        for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let token = Self.unescape(part) else { return nil }
            tokens.append(token)
        }
        self.tokens = tokens
    }

    /// The text form, escaped again.
    package var description: String {
        tokens.map { "/" + $0.map { $0 == "~" ? "~0" : $0 == "/" ? "~1" : String($0) }.joined() }.joined()
    }

    /// The index that a step means in an array (RFC 6901, section 4); nil: it is a name only.
    package static func index(_ token: String) -> Int? {
        guard !token.isEmpty, token.utf8.allSatisfy({ (48...57).contains($0) }), token == "0" || token.first != "0" else { return nil }
        return Int(token)
    }

    private static func unescape(_ part: Substring) -> String? {
        var token = ""
        var isEscaped = false
        for character in part.unicodeScalars {
            switch (isEscaped, character) {
            case (true, "0"): token.unicodeScalars.append("~")
            case (true, "1"): token.unicodeScalars.append("/")
            case (true, _): return nil
            case (false, "~"):
                isEscaped = true
                continue
            case (false, _): token.unicodeScalars.append(character)
            }
            isEscaped = false
        }
        return isEscaped ? nil : token
    }
}

extension JSONPointer: Codable {
    /// Reads the text form.
    /// - Throws: `DecodingError` for a text that is no pointer.
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let pointer = JSONPointer(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no JSON Pointer: \(text)"))
        }
        self = pointer
    }

    /// Writes the text form.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
