//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FeedSettings
import Foundation

/// Where a loader of a feed connects to, as far as the configuration says: a name is not looked up.
public struct FeedAddress: Hashable, Sendable {
    /// What is done there.
    public enum Work: String, Hashable, Sendable {
        /// The list is loaded.
        case load
        /// The detail of an item is loaded.
        case detail
    }

    /// What is done there.
    public let work: Work
    /// A name or a written address, in small letters, without the brackets of IPv6.
    public let host: String
    /// Its port, 1 to 65,535; that of the scheme where none is written.
    public let port: Int

    /// The address of a template; nil: there is none before its parameters have values.
    init?(_ work: Work, _ template: URLTemplate) {
        guard let text = try? template.expanded({ _ in "x" }), let url = URL(string: text), let host = url.host else { return nil }
        self.work = work
        // RFC 3986, section 3.2.2: case means nothing in a host.
        self.host = (host.hasPrefix("[") ? String(host.dropFirst().prefix { $0 != "]" }) : host).lowercased()
        port = url.port ?? (url.scheme == "https" ? 443 : 80)
    }

    /// As a URL and `http.allow` write it: `127.0.0.1:80`, `[::1]:80`.
    public var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
