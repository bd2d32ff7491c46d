//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
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
