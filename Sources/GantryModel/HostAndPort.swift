//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A host and a port as people write them, `HOST:PORT`: the one place that reads them and writes them.
///
/// An IPv6 address stands in brackets, `[::1]:80`, as RFC 3986, section 3.2.2, has it: else nobody could tell its last group from a port.
package struct HostAndPort: Hashable, Sendable, CustomStringConvertible {
    /// The host as written, without brackets.
    package let host: String
    /// The port, 0 to 65,535; nil: any (`*`).
    package let port: Int?

    /// Puts both together.
    /// - Parameter host: With or without brackets.
    package init(host: String, port: Int?) {
        self.host = Self.bare(host)
        self.port = port
    }

    /// Reads the text form; nil: it is none.
    package init?(_ text: some StringProtocol) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let (written, end) = (String(text[..<colon]), text[text.index(after: colon)...])
        let host = Self.bare(written)
        guard !host.isEmpty, host != written || !host.contains(":"), !host.contains(where: { $0.isWhitespace || "/@[]".contains($0) })
        else {
            return nil
        }
        if end == "*" {
            port = nil
        } else {
            guard let number = Self.number(end, as: UInt16.self) else { return nil }
            port = Int(number)
        }
        self.host = host
    }

    /// A host without the brackets that an IPv6 address has beside a port.
    package static func bare(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// A number of digits alone, since the standard library takes a sign too; nil: it is none, or does not fit.
    package static func number<Number: FixedWidthInteger>(_ text: some StringProtocol, as type: Number.Type) -> Number? {
        text.utf8.allSatisfy { (48...57).contains($0) } ? Number(text) : nil
    }

    /// The host as it stands beside a port: IPv6 in brackets.
    package var writtenHost: String { host.contains(":") ? "[\(host)]" : host }

    /// The text form.
    package var description: String { "\(writtenHost):\(port.map { String($0) } ?? "*")" }
}
