//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryClient
import GantryModel
import StateFormatting

extension DeadCauses {
    /// Jobs of one page.
    private static let pageCount: UInt32 = 1_000

    /// Looks at failed and quarantined jobs, newest first: what `job dead` and `status` say of them comes from here, so that they say the same.
    /// - Parameters:
    ///   - query: Which jobs; its state, limit and cursor count for nothing.
    ///   - limit: How many jobs of each of the two states are looked at, about; nil: all of them.
    init(_ query: JobQuery, _ client: GantryClient, limit: UInt64? = nil) async throws(ClientError) {
        self.init()
        for state in [JobState.failed, .quarantined] {
            var page = query
            (page.state, page.limit, page.before) = (state, Self.pageCount, nil)
            let start = lookedAt
            repeat {
                let listed = try await client.listJobs(page)
                for job in listed.jobs { add(job) }
                page.before = listed.next
                if let limit, page.before != nil, lookedAt - start >= limit {
                    isWhole = false
                    break
                }
            } while page.before != nil
        }
    }
}
