//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
import Model
import StateJSON
import Synchronization

/// The jobs of one `job submit` that are durable and of which nothing has been printed yet, in order.
final class AcceptedJobs: Sendable {
    /// The ids, and how many of them have been printed.
    private let jobs = Mutex<(ids: [JobID], told: Int)>(([], 0))

    /// Notes jobs that have just become durable.
    func add(_ ids: [JobID]) { jobs.withLock { $0.ids += ids } }

    /// Waits for each and prints how it ended; throws what the first that did not succeed ends the command with.
    func follow(_ client: GantryClient, _ options: FrontOptions) async throws {
        var first: CommandFailure?
        for job in jobs.withLock({ $0.ids }) {
            let ended = try await options.wait(for: job, client)
            try options.show(ended.json().text, "\(job): \(ended.line())")
            jobs.withLock { $0.told += 1 }
            first = first ?? CommandFailure(ended)
        }
        if let first { throw first }
    }

    /// Prints the ids that are left, if there are any.
    func showRest(_ options: FrontOptions) throws {
        let rest = jobs.withLock { $0.ids[$0.told...] }
        guard !rest.isEmpty else { return }
        let items = rest.map { JSONValue.object(("job", .string($0.description))) }
        try options.show(
            items: items.map(\.text), json: JSONValue.list(items).text, table: rest.map(\.description).joined(separator: "\n"))
    }
}
