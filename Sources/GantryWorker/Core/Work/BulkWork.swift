//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel
package import GantryPackedColumns

/// Granted jobs of bulk loaders as columns, in the order in which they run. It is consumed from its front without moving a byte.
package struct BulkWork: Hashable, Sendable {
    /// Job ids.
    package private(set) var jobs: [UInt64] = []
    /// The lease of each.
    package private(set) var leases: [UInt64] = []
    /// Index of each one's loader in the worker's declarations.
    package private(set) var loaders: [UInt32] = []
    /// How often each was granted.
    package private(set) var attempts: [UInt32] = []
    /// The argument of each.
    package private(set) var arguments = PackedBytes()
    /// What is written down of those that count in limits before they run, by their jobs; mostly none.
    package private(set) var limited: [UInt64: LimitedRun] = [:]
    /// The first row that has not run.
    package private(set) var next = PackedBytes.Index()

    /// No rows.
    package init() {}

    /// All rows of a grant, whose loader indexes are replaced by the worker's own.
    init(_ grant: WorkerBoundMessage.Grant, by front: FrontID, loaders map: [UInt32]) {
        (jobs, leases, attempts) = (grant.jobs, grant.leases, grant.attempts)
        (arguments, loaders) = (grant.arguments, grant.loaderIndexes)
        for row in grant.limitIndexes.indices { limited[jobs[row]] = grant.limitedRun(at: row, by: front) }
        // A worker with one loader, or a grant that names them in the worker's order, needs no copy of the column.
        guard map.indices.contains(where: { map[$0] != UInt32($0) }) else { return }
        for row in loaders.indices { loaders[row] = map[Int(loaders[row])] }
    }

    /// The number of the first row that has not run.
    package var nextRow: Int { next.row }

    /// How many rows have not run.
    package var remainingCount: Int { jobs.count - nextRow }

    /// Whether a row counts in a limit.
    func isLimited(_ row: Int) -> Bool { !limited.isEmpty && limited[jobs[row]] != nil }

    /// Adds one row at the end.
    package mutating func append(
        job: UInt64, lease: UInt64, loader: UInt32, attempt: UInt32, argument: ArraySlice<UInt8>, limited run: LimitedRun? = nil
    ) {
        if let run { limited[job] = run }
        jobs.append(job)
        leases.append(lease)
        loaders.append(loader)
        attempts.append(attempt)
        arguments.append(argument)
    }

    /// Counts rows as run.
    mutating func consume(_ count: Int) {
        next = arguments.index(next, offsetBy: min(count, remainingCount))
    }

    /// The rows that have not run, those left out for which `body` returns nil, the others under the lease that it returns.
    func compactMapLeases(_ body: (_ job: UInt64, _ lease: UInt64) -> UInt64?) -> BulkWork {
        var retained = BulkWork()
        for place in arguments[next...].indices {
            let row = place.row
            if let lease = body(jobs[row], leases[row]) {
                retained.append(
                    job: jobs[row], lease: lease, loader: loaders[row], attempt: attempts[row], argument: arguments[place],
                    limited: limited[jobs[row]])
            }
        }
        return retained
    }
}
