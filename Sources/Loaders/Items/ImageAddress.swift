//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FeedSettings
import Model

/// Checks the address of an item's image: an http or https URL, or a path relative to the source.
///
/// Clients put it where images are loaded, so another scheme (`javascript:`, `file:`) must not reach them.
enum ImageAddress {
    /// Reads a field's value by that rule.
    /// - Returns: nil for null and for the empty text, which many sources send where there is no image.
    /// - Throws: `JSONFault` saying what is expected instead.
    static func read(_ value: JSONText.Value) throws(JSONFault) -> FieldValue? {
        guard let field = try FieldReader.read(value, as: .string) else { return nil }
        guard case .text(let text) = field, !text.isEmpty else { return nil }
        guard isAddress(text) else {
            throw JSONFault(text: "is not the address of an image (an http:// or https:// URL, or a relative path)")
        }
        return field
    }

    /// RFC 3986, section 4.1, with the two schemes alone; characters beyond ASCII are taken as browsers take them.
    private static func isAddress(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !"\"<>\\^`{|}".utf8.contains($0) }) else { return false }
        let rest: Substring
        // What stands before a colon in the first segment is a scheme.
        if let colon = text.firstIndex(where: { ":/?#".contains($0) }), text[colon] == ":" {
            guard ["http", "https"].contains(text[..<colon].lowercased()) else { return false }
            rest = text[text.index(after: colon)...]
            guard rest.hasPrefix("//") else { return false }
        } else {
            rest = text[...]
        }
        guard rest.hasPrefix("//") else { return true }
        let authority = rest.dropFirst(2).prefix { !"/?#".contains($0) }
        return !authority.isEmpty && !authority.hasPrefix(":")
    }
}
