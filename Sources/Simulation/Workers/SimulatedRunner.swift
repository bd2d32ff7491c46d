//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import WorkerKit

/// Runs jobs in virtual time.
struct SimulatedRunner: WorkerRunner {
    unowned let process: WorkerProcess

    func start(_ work: WorkStart) throws {
        try process.check()
        process.begin(work)
    }

    func cancel(_ token: WorkToken) throws {
        try process.check()
        process.cancel(token)
    }

    func runBulk(_ work: BulkWork, into ended: inout WorkerMessage.Ended) throws -> Int {
        try process.check()
        let world = process.world
        let count = world.random.chance(0.5) ? work.remainingCount : 1 + world.random.below(work.remainingCount)
        for place in work.arguments[work.next...].indices.prefix(count) {
            let row = place.row
            let number = world.ledger.ranBulk(JobID(work.jobs[row]), marker: Run.number(in: work.arguments[place]), on: process)
            ended.jobs.append(work.jobs[row])
            ended.leases.append(work.leases[row])
            ended.outcomes.append(.succeeded)
            ended.results.append(Run.bytes(of: number) + Array(repeating: 7, count: world.variation.resultByteCount - 8))
        }
        try process.check()
        return count
    }

    func takeReports(into reports: inout [WorkReport]) throws {
        try process.check()
        reports.append(contentsOf: process.reports)
        process.reports.removeAll()
    }
}
