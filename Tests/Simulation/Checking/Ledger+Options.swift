//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel

/// A job has the options that it was submitted with, but for a priority that was asked for since, whoever looks at it: clients, the front itself,
/// and whoever reads its journal.
extension Ledger {
    /// A client hears that a job is accepted which it had submitted with these options.
    func submitted(_ job: JobID, with options: JobOptions) {
        entries[job, default: JobEntry()].options = options.lasting
        if !isMemory, let written = durable.options[job.rawValue] { check(written, of: job, by: "the journal") }
    }

    /// A client asks for another priority. Whether and when it gets it, only the journal says.
    func reprioritizing(_ job: JobID, to priority: UInt8) { entries[job, default: JobEntry()].askedPriorities.insert(priority) }

    /// Somebody is shown a job.
    func checkOptions(of job: JobSummary, by reporter: String) { check(job.options, of: job.id, by: reporter) }

    /// A client is shown the jobs with some tags.
    func check(_ jobs: [JobSummary], areWhat query: JobQuery) {
        for job in jobs where !query.tags.allSatisfy({ job.options.tags.contains($0) }) {
            world.violate(.optionsStay, "job \(job.id) with \(job.options.line) is listed among those with \(query.tags)")
        }
    }

    /// Jobs are granted: what a restart would know of them by now is what they were accepted with.
    func checkOptions(of granted: JournalEntry.GrantedJobs) {
        let replayed = shadow.state
        for job in granted.jobs { checkOptions(of: JobID(job), in: replayed, "the replay") }
    }

    /// All that is known of jobs, in the front and in the replay of its journal.
    ///
    /// - Parameter unwritten: What the front has decided and no row has yet.
    func checkOptions(_ front: FrontMachine, unwritten: [JournalEntry]) {
        // Each state is asked for once: it is made of dozens of tables, and to ask for it is to copy them.
        let (state, replayed) = (front.state, shadow.state)
        for job in acceptedJobs {
            if !unwritten.changesTerms(of: job) { checkOptions(of: job, in: state, "the front") }
            checkOptions(of: job, in: replayed, "the replay")
        }
        if let miscount = state.termsMiscount ?? replayed.termsMiscount { world.violate(.optionsStay, miscount) }
        let others = state.loadersMiscount ?? replayed.loadersMiscount ?? state.runsMiscount ?? replayed.runsMiscount
        if let others { world.violate(.countsAreTrue, others) }
        if let miscount = state.keysMiscount ?? replayed.keysMiscount { world.violate(.uniqueKeysHold, miscount) }
        if let miscount = state.limitsMiscount ?? replayed.limitsMiscount { world.violate(.limitsHold, miscount) }
    }

    private func checkOptions(of job: JobID, in state: FrontState, _ reporter: String) {
        guard let options = state.options(of: job) else { return }
        check(options, of: job, by: reporter)
        if !durable.isChanging(job), let written = durable.options[job.rawValue], written != options {
            world.violate(.optionsStay, "job \(job) has \(options.line) by \(reporter), it was written with \(written.line)")
        }
    }

    private func check(_ options: JobOptions, of job: JobID, by reporter: String) {
        guard let entry = entries[job], var submitted = entry.options, submitted != options else { return }
        if entry.askedPriorities.contains(options.priority) || bulkPriorities.contains(options.priority) {
            submitted.priority = options.priority
        }
        // Who joins a job asks for the same work, whatever that repeats and whenever it would have expired.
        if submitted.uniqueKey != nil { (submitted.retryOf, submitted.expiresAt) = (options.retryOf, options.expiresAt) }
        // What a submit replaces has the other options from then on, whoever hears of it when.
        let modes = [submitted, options].compactMap { $0.uniqueKey?.mode }
        guard submitted != options, modes.allSatisfy({ $0 == .untilEnded || $0 == .untilStarted }) else { return }
        world.violate(.optionsStay, "job \(job) has \(options.line) by \(reporter), it was submitted with \(submitted.line)")
    }
}
