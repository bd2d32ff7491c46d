//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
import Model

extension GantryClient {
    /// As many jobs as are asked for, where there are: the front ends a page before jobs that it has to read first.
    func filledPage(_ query: JobQuery) async throws(ClientError) -> JobPage {
        var page = try await listJobs(query)
        while let next = page.next, page.jobs.count < query.limit {
            var rest = query
            (rest.before, rest.limit) = (next, query.limit - UInt32(page.jobs.count))
            let more = try await listJobs(rest)
            page.jobs += more.jobs
            page.next = more.next
        }
        return page
    }
}
