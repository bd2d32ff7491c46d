//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform
import GantryWorker
import Loaders

/// The loader `sleep` between two lines in the ledger.
struct StampLoader: Loader {
    let name: String
    let repeatable: Repeatable
    let ledger: RunLedger

    func run(_ job: JobContext) async throws -> LoaderResult {
        try ledger.note("start", job)
        do {
            _ = try await SleepLoader().run(job)
        } catch {
            try ledger.note("stopped", job)
            throw error
        }
        try ledger.note("end", job)
        return LoaderResult(text: "\(ProcessControl.currentID)")
    }
}

/// A file of one line an event, `WHAT JOB ATTEMPT PROCESS NANOSECONDS` by the boot clock. Each line is one append, so lines of many
/// processes never mix; what a process had written stays when it is killed.
struct RunLedger: Sendable {
    private let path: String

    /// - Throws: what the system says when the file cannot be opened.
    init(path: String) throws {
        self.path = path
        _ = try OwnedDescriptor(path: path, options: [.write, .create, .append])
    }

    func note(_ what: String, _ job: JobContext) throws {
        let line = "\(what) \(job.job) \(job.attempt) \(ProcessControl.currentID) \(SystemClock.bootNanoseconds())\n"
        let file = try OwnedDescriptor(path: path, options: [.write, .append])
        try file.write(Array(line.utf8))
        try file.close()
    }
}
