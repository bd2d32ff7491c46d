//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryPlatform
import GantryWorker

/// An http or https address, taken apart exactly as the client does, so that what was checked is what is asked.
struct HTTPTarget: Hashable, Sendable {
    /// The address as asked, without fragment and user.
    let text: String
    /// The host without brackets.
    let host: String
    /// The port, also when it is the scheme's own.
    let port: Int
    /// The address for messages: without user, and of the query only the names.
    let shown: String
    /// Whether the scheme is https.
    let isSecure: Bool

    /// Reads an address.
    /// - Throws: `forbiddenAddress` for another scheme, `invalidData` for what is no address.
    init(_ text: String) throws(LoaderFailure) {
        guard var parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased() else {
            throw LoaderFailure(.invalidData, "\"\(Self.cut(text))\" is not an address: write http://host/path")
        }
        guard scheme == "http" || scheme == "https" else {
            throw LoaderFailure(.forbiddenAddress, "\(scheme) addresses are not loaded: use http or https")
        }
        (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
        parts.scheme = scheme
        guard let clean = parts.string, let url = URL(string: clean), let found = url.host, !found.isEmpty else {
            throw LoaderFailure(.invalidData, "\"\(Self.cut(text))\" names no host: write http://host/path")
        }
        host = HostAndPort.bare(found)
        isSecure = scheme == "https"
        port = url.port ?? (isSecure ? 443 : 80)
        self.text = clean
        let place = HostAndPort(host: host, port: nil).writtenHost + (parts.port.map { ":\($0)" } ?? "")
        shown = "\(scheme)://\(place)\(parts.percentEncodedPath)\(parts.percentEncodedQuery.map { "?" + Self.names(in: $0) } ?? "")"
    }

    /// The address that a redirect names, by RFC 3986, section 5.
    /// - Throws: as `init`; `forbiddenAddress` when it leads from https to http.
    func redirected(to location: String) throws(LoaderFailure) -> HTTPTarget {
        guard let base = URL(string: text), let url = URL(string: location, relativeTo: base) else {
            throw LoaderFailure(.invalidData, "\(shown) redirects to what is no address: correct the origin")
        }
        let next = try HTTPTarget(url.absoluteString)
        guard next.isSecure || !isSecure else {
            throw LoaderFailure(.forbiddenAddress, "\(shown) redirects from https to \(next.shown): configure that address if it is meant")
        }
        return next
    }

    /// Whether this target, which a redirect names, may be asked at `address`: one that is not public only if what was configured is not public
    /// either, and is the same host and port. Else an origin of the internet could send the worker to any address that another feed needs.
    func mayFollow(_ configured: HTTPTarget, at configuredAddress: String, to address: String) -> Bool {
        if IPAddress(address)?.isPublic == true { return true }
        return IPAddress(configuredAddress)?.isPublic != true && configured.host.lowercased() == host.lowercased()
            && configured.port == port
    }

    /// A query without values, any of which may be a secret; so may what has no name.
    private static func names(in query: String) -> String {
        guard !query.isEmpty else { return "" }
        return query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            pair.firstIndex(of: "=").map { pair[...$0] + "…" } ?? "…"
        }.joined(separator: "&")
    }

    /// What can be shown of a text that is no address: nothing that could be a password or a query.
    private static func cut(_ text: String) -> String {
        let end = text.firstIndex { $0 == "?" || $0 == "@" } ?? text.endIndex
        return String(text[..<end].prefix(80))
    }
}

/// Finds the addresses of host names, on threads of its own: the system's call cannot be ended early and may take as long as the name server is
/// silent.
final class HostResolver: Sendable {
    /// Most look-ups at a time. All of one worker can hang without holding up a job that needs no name; the next look-up is refused at once.
    static let lookUpLimit = 32

    private let calls: BlockingPool
    private let lookUp: @Sendable (_ host: String, _ port: Int) -> [String]

    /// - Parameter lookUp: asks the system; it may block.
    init(lookUp: @escaping @Sendable (_ host: String, _ port: Int) -> [String] = { host, _ in NetworkAddress.addresses(ofHost: host) }) {
        self.lookUp = lookUp
        calls = BlockingPool(name: "gantry-names", limit: Self.lookUpLimit) { counts in
            LoaderFailure(
                .busy,
                "\(counts.running) look-ups of host names are unanswered: check the name server (/etc/resolv.conf), then retry in 10 s",
                retryable: true)
        }
    }

    /// Look-ups that run or hang.
    var counts: BlockingPool.Counts { calls.counts }

    /// The addresses to choose from: the host itself if it is one; loopback for `localhost` (RFC 6761, section 6.3) without asking; else all that the
    /// system gives, in its order. None: nobody knows the name.
    ///
    /// - Throws: `LoaderFailure` with `busy` when too many look-ups hang; `CancellationError` at once when the task is
    ///   cancelled.
    @Sendable func addresses(of host: String, port: Int) async throws -> [String] {
        let name = host.lowercased()
        if IPAddress(host) != nil { return [host] }
        if name == "localhost" || name.hasSuffix(".localhost") { return ["127.0.0.1", "::1"] }
        let lookUp = lookUp
        return try await calls.run { _ in lookUp(host, port) }
    }
}

/// An IP address; an IPv4 address written as IPv6 (`::ffff:10.0.0.1`) is the IPv4 address.
struct IPAddress: Hashable, Sendable {
    /// 4 or 16 bytes in network order.
    let bytes: [UInt8]

    /// Reads what the system's own reader takes (`inet_pton`), so that what was checked is what is connected to; nil for anything else, short and
    /// octal spellings of IPv4 and zones included.
    init?(_ text: String) {
        guard let found = NetworkAddress.bytes(of: text) else { return nil }
        let isMapped = found.count == 16 && found[..<10].allSatisfy { $0 == 0 } && found[10] == 0xFF && found[11] == 0xFF
        bytes = isMapped ? Array(found[12...]) : found
    }

    /// Whether it is an address of the public internet: not loopback, private, link-local, shared, documentation, multicast or reserved
    /// (RFC 6890), nor a tunnel whose other end cannot be told.
    var isPublic: Bool {
        if bytes.count == 4 { return Self.isPublic(bytes) }
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        if bytes[0] == 0x20, bytes[1] == 0x02 { return Self.isPublic(Array(bytes[2..<6])) }
        let isSpecial = bytes[0] == 0x20 && bytes[1] == 0x01 && (bytes[2] < 2 || bytes[2] == 0x0D && bytes[3] == 0xB8)
        return !isSpecial
    }

    private static func isPublic(_ bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0, _, _), (10, _, _), (127, _, _), (224..., _, _), (169, 254, _), (192, 168, _): false
        case (100, 64...127, _), (172, 16...31, _), (198, 18...19, _): false
        case (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 51, 100), (203, 0, 113): false
        default: true
        }
    }
}
