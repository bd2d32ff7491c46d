//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import NIOCore
import NIOPosix

/// Finds the address of a host name.
enum HostResolver {
    /// The addresses to choose from: the host itself if it is one; loopback for `localhost` (RFC 6761, section 6.3) without asking; else the first that the
    /// system gives. The system's call cannot be ended early.
    ///
    /// - Throws: what the system says.
    @Sendable static func addresses(of host: String, port: Int) async throws -> [String] {
        let name = host.lowercased()
        if IPAddress(host) != nil { return [host] }
        if name == "localhost" || name.hasSuffix(".localhost") { return ["127.0.0.1", "::1"] }
        let address = try await NIOThreadPool.singleton.runIfActive {
            try SocketAddress.makeAddressResolvingHost(host, port: port).ipAddress
        }
        return address.map { [$0] } ?? []
    }
}
