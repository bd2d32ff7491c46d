//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Which addresses of sockets stay on this machine. Until there are keys, nothing else may be bound or connected to: whoever reaches a front
/// over a network could do everything.
public enum LocalAddress {
    /// Why an address must not be used; nil: it may.
    ///
    /// These may: `ipc://` with an absolute path, `inproc://` with a name, and `tcp://HOST:PORT` where the host is an address of 127.0.0.0/8,
    /// `[::1]` or `localhost` and the port is 0 to 65535 or, for binding, `*`. A name that merely begins like a loopback address may not.
    public static func refusal(of address: String) -> String? {
        if let path = rest(of: address, behind: "ipc://") { return path.hasPrefix("/") && path.count > 1 ? nil : malformed(address) }
        if let name = rest(of: address, behind: "inproc://") { return name.isEmpty ? malformed(address) : nil }
        guard let place = rest(of: address, behind: "tcp://"), let colon = place.lastIndex(of: ":") else { return malformed(address) }
        let (host, port) = (place[..<colon], place[place.index(after: colon)...])
        guard port == "*" || isPort(port), !host.isEmpty else { return malformed(address) }
        if host == "localhost" || host == "[::1]" || isLoopback(host) { return nil }
        return "\"\(address)\" is not of this machine, and without keys everybody could use it: use 127.0.0.1"
    }

    private static func malformed(_ address: String) -> String {
        "\"\(address)\" is not an address: write tcp://127.0.0.1:PORT or ipc:///PATH"
    }

    private static func rest(of address: String, behind prefix: String) -> Substring? {
        address.hasPrefix(prefix) ? address.dropFirst(prefix.count) : nil
    }

    private static func isPort(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) } && UInt16(text) != nil
    }

    private static func isLoopback(_ host: Substring) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "127" else { return false }
        return parts.allSatisfy { part in (1...3).contains(part.utf8.count) && isPort(part) && UInt8(part) != nil }
    }
}
