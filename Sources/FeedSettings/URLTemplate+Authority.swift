//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension URLTemplate {
    /// What is wrong between `://` and the path, where people write host and port.
    public enum AuthorityFault: Hashable, Sendable {
        /// No host stands there.
        case noHost
        /// A user or a password stands there, which no loader sends.
        case credentials
        /// What stands behind the host's colon is no port of 1 to 65,535.
        case port(String)
    }

    /// What is wrong with host and port; nil: nothing.
    public var authorityFault: AuthorityFault? {
        guard let scheme = description.firstRange(of: "://") else { return .noHost }
        let authority = description[scheme.upperBound...].prefix { !"/?#".contains($0) }
        if authority.contains("@") { return .credentials }
        let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        guard !host.isEmpty, host != "[", !host.hasPrefix("[") || authority.contains("]") else { return .noHost }
        let port = authority.dropFirst(host.count).drop { $0 == "]" }
        guard port.hasPrefix(":") else { return port.isEmpty ? nil : .port(String(port)) }
        let number = port.dropFirst()
        guard number.utf8.allSatisfy({ (48...57).contains($0) }), let value = Int(number), (1...65_535).contains(value) else {
            return .port(String(number))
        }
        return nil
    }
}
