//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// An entry of `http.allow`: a host and a port that the http loader may reach although the address is loopback or private.
///
/// Text form `host:port` or `host:*`; an IPv6 address stands in brackets, for example `[::1]:*`. Hosts are compared without case.
package struct AllowedAddress: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The host in lower case, without brackets.
    package let host: String
    /// The port; nil: any.
    package let port: Int?

    /// Reads the text form; nil if it is not one.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let port = text[text.index(after: colon)...]
        var host = text[..<colon].lowercased()
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, !host.contains(where: { $0.isWhitespace || $0 == "/" || $0 == "@" || $0 == "*" }) else { return nil }
        self.host = host
        if port == "*" {
            self.port = nil
        } else {
            // Digits alone: the standard library takes a sign too.
            guard port.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(port), (1...65_535).contains(number) else {
                return nil
            }
            self.port = number
        }
    }

    /// Whether an address of a URL is meant by this entry.
    ///
    /// - Parameter host: As in the URL, with or without brackets.
    package func allows(host: String, port: Int) -> Bool {
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        return bare.lowercased() == self.host && (self.port == nil || self.port == port)
    }

    /// The text form.
    package var description: String {
        (host.contains(":") ? "[\(host)]" : host) + ":" + (port.map(String.init) ?? "*")
    }

    /// Reads the text form.
    /// - Throws: `DecodingError` for a text that is not one.
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let address = AllowedAddress(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no host:port: \(text)"))
        }
        self = address
    }

    /// Writes the text form.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
