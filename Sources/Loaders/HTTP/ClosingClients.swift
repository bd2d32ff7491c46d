//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import AsyncHTTPClient
import GantryModel
import GantryWorker
import Synchronization

/// Closes the clients of transfers that have ended, without holding up anybody.
///
/// A client cannot give up a connection that is being made: it has closed when the connection stands or the connect time-out is over. Whoever
/// cancelled the transfer, or lost the lease of its job, is not to wait for that; so such clients are bounded here.
final class ClosingClients: Sendable {
    /// Twice the most slots that a worker has: each can leave one, and another within the same connect time-out.
    private static let usualLimit = 128

    private let limit: Int
    private let closing = Mutex(0)

    init(limit: Int = ClosingClients.usualLimit) { self.limit = limit }

    /// Clients that are not closed yet.
    var count: Int { closing.withLock { $0 } }

    /// Refuses a transfer while too many earlier ones are not closed.
    /// - Throws: `busy`.
    func admit(_ target: HTTPTarget) throws(LoaderFailure) {
        let count = count
        guard count >= limit else { return }
        throw LoaderFailure(
            .busy, "\(count) connections of earlier jobs are still being made: check the network to \(target.shown), then retry in 10 s",
            retryable: true)
    }

    /// Closes a client whose request has ended, and returns at once.
    func close(_ client: HTTPClient) {
        closing.withLock { $0 += 1 }
        Task.detached {
            // What a shutdown complains about is of no use to a transfer that has its result.
            try? await client.shutdown()
            self.closing.withLock { $0 -= 1 }
        }
    }
}
