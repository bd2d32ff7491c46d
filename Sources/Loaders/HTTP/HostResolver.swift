//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Platform
import WorkerKit

/// Finds the addresses of host names, on threads of its own: the system's call cannot be ended early and may take as long as the name server is
/// silent.
final class HostResolver: Sendable {
    /// Most look-ups at a time. All of one worker can hang without holding up a job that needs no name; the next look-up is refused at once.
    static let lookUpLimit = 32

    /// Nobody knows the name.
    private struct UnknownHost: Error {}

    private let calls: BlockingCalls
    private let lookUp: @Sendable (_ host: String, _ port: Int) throws -> [String]

    /// - Parameter lookUp: asks the system; it may block.
    init(lookUp: @escaping @Sendable (_ host: String, _ port: Int) throws -> [String] = HostResolver.askSystem) {
        self.lookUp = lookUp
        calls = BlockingCalls(name: "gantry-names", limit: Self.lookUpLimit) { counts in
            LoaderFailure(
                .busy,
                "\(counts.running) look-ups of host names are unanswered: check the name server (/etc/resolv.conf), then retry in 10 s",
                retryable: true)
        }
    }

    /// Look-ups that run or hang.
    var counts: BlockingCalls.Counts { calls.counts }

    /// The addresses to choose from: the host itself if it is one; loopback for `localhost` (RFC 6761, section 6.3) without asking; else all that the
    /// system gives, in its order.
    ///
    /// - Throws: what the system says; `LoaderFailure` with `busy` when too many look-ups hang; `CancellationError` at once when the task is
    ///   cancelled.
    @Sendable func addresses(of host: String, port: Int) async throws -> [String] {
        let name = host.lowercased()
        if IPAddress(host) != nil { return [host] }
        if name == "localhost" || name.hasSuffix(".localhost") { return ["127.0.0.1", "::1"] }
        let lookUp = lookUp
        return try await calls.run { _ in try lookUp(host, port) }
    }

    @Sendable private static func askSystem(_ host: String, _ port: Int) throws -> [String] {
        let addresses = NetworkAddress.addresses(ofHost: host)
        guard !addresses.isEmpty else { throw UnknownHost() }
        return addresses
    }
}
