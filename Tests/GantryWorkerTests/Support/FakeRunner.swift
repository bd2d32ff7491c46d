//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

@testable import GantryWorker

/// Runs nothing; bulk jobs answer with their argument.
struct FakeRunner: WorkerRunner {
    var started: [WorkStart] = []
    var cancelled: [WorkToken] = []
    var reports: [WorkReport] = []

    mutating func start(_ work: WorkStart) { started.append(work) }

    mutating func cancel(_ token: WorkToken, because reason: CancelReason) { cancelled.append(token) }

    mutating func kill(_ token: WorkToken) -> Bool { false }

    mutating func runBulk(_ work: BulkWork, into ended: inout WorkerMessage.Ended) -> Int {
        ended = Bench.echo(work)
        return work.remainingCount
    }

    mutating func takeReports(into reports: inout [WorkReport]) {
        reports.append(contentsOf: self.reports)
        self.reports.removeAll()
    }
}
