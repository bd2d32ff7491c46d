//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// An address of a socket as it is written: the one place that reads it.
package enum SocketAddress: Hashable, Sendable {
    /// `ipc://PATH`: a socket of the file system.
    case ipc(path: String)
    /// `inproc://NAME`: within a process.
    case inproc(name: String)
    /// `tcp://HOST:PORT`; port nil: one that a socket which is bound may choose.
    case tcp(HostAndPort)

    /// Reads an address; nil: it is none.
    package init?(_ text: String) {
        if let path = Self.rest(of: text, behind: "ipc://") {
            guard path.hasPrefix("/"), path.utf8.count > 1 else { return nil }
            self = .ipc(path: String(path))
        } else if let name = Self.rest(of: text, behind: "inproc://") {
            guard !name.isEmpty else { return nil }
            self = .inproc(name: String(name))
        } else {
            guard let place = Self.rest(of: text, behind: "tcp://").flatMap({ HostAndPort($0) }) else { return nil }
            self = .tcp(place)
        }
    }

    /// The address that people mean by a host and a port without the transport: `tcp://` before them. Any other text is given back as it is, be it
    /// an address, a path or a mistake.
    package static func written(_ text: String) -> String {
        // "ipc:///run/a:1" is no host.
        guard !text.contains("/"), HostAndPort(text)?.port != nil else { return text }
        return "tcp://" + text
    }

    /// Whether it goes over the network of the machine, where everybody on it may connect.
    package var isTCP: Bool { if case .tcp = self { true } else { false } }

    /// The path of a socket of the file system; nil: it is another kind.
    package var path: String? { if case .ipc(let path) = self { path } else { nil } }

    /// Whether it stays on this machine: `ipc`, `inproc`, and TCP where the host is an address of 127.0.0.0/8, `[::1]` or `localhost`. A name
    /// that merely begins like a loopback address does not.
    package var isLocal: Bool {
        guard case .tcp(let place) = self, place.host != "localhost", place.host != "::1" else { return true }
        let parts = place.host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { $0.utf8.count <= 3 && HostAndPort.number($0, as: UInt8.self) != nil }
    }

    private static func rest(of text: String, behind prefix: String) -> Substring? {
        text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : nil
    }
}

/// Which addresses of sockets stay on this machine. Until there are keys, nothing else may be bound or connected to: anybody who reaches a
/// front over a network could do everything.
package enum LocalAddress {
    /// Why an address must not be used; nil: it may.
    package static func refusal(of text: String) -> String? {
        guard let address = SocketAddress(text) else {
            return "\"\(text)\" is not an address: write tcp://127.0.0.1:PORT or ipc:///PATH"
        }
        return address.isLocal ? nil : "\"\(text)\" is another machine; Gantry connects to this one only: use tcp://127.0.0.1:PORT"
    }
}

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
