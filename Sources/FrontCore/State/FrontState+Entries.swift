//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Entries that change more than one machine, or of which one has to know what another holds.
extension FrontState {
    mutating func apply(_ accepted: JournalEntry.AcceptedJobs, _ turn: EntryTurn) {
        // Who asked may have left since.
        let asker = accepted.asker == JobTerms.Asker() ? sessions.asker(of: accepted.submitter) : accepted.asker
        jobs.accept(accepted, from: asker, turn: turn)
    }

    mutating func apply(_ job: JournalEntry.FeedJob, _ turn: EntryTurn) {
        // Who asked may have left since.
        let asker = job.label.isEmpty ? sessions.asker(of: job.submitter) : JobTerms.Asker(label: job.label, client: job.client)
        jobs.accept(job, from: asker, turn: turn)
    }

    mutating func apply(_ granted: JournalEntry.GrantedJobs, _ turn: EntryTurn) {
        jobs.grant(granted, to: workers.index(of: granted.worker), turn: turn)
    }

    mutating func apply(_ stored: JournalEntry.StoredJobs, _ turn: EntryTurn) {
        jobs.restore(stored, workers: workers.known, turn: turn)
    }

    mutating func apply(_ stored: JournalEntry.CountsStored, _ turn: EntryTurn) {
        jobs.restore(stored, turn: turn)
        workers.noteNext(registrationNumber: stored.nextRegistrationNumber.rawValue, turn)
    }

    mutating func apply(_ began: JournalEntry.EpochBegan, _ turn: EntryTurn) {
        workers.apply(began, turn)
        jobs.number { $0.begin(began, turn) }
    }

    mutating func apply(_ registered: JournalEntry.WorkerRegistered, _ turn: EntryTurn) {
        guard let known = workers.apply(registered, turn) else { return }
        jobs.takeWorker(known.index, registered.registration, insteadOf: known.old, turn: turn)
    }

    mutating func apply(_ lost: JournalEntry.WorkerLost, _ turn: EntryTurn) {
        if let known = workers.apply(lost, turn) { jobs.dropWorker(known.index, known.old, turn: turn) }
    }

    mutating func apply(_ changed: JournalEntry.FeedChanged, _ turn: EntryTurn) {
        feeds.apply(changed, turn)
        // A failure that no job had has a number of its own.
        if let failure = changed.state.failure?.id.rawValue { jobs.number { $0.notePassed(job: failure, turn) } }
    }
}

// MARK: What cannot be true: see `EntryMachine`

extension FrontState {
    func fault(of accepted: JournalEntry.AcceptedJobs) -> String? {
        let (first, count) = (accepted.first.rawValue, UInt64(accepted.arguments.count))
        return count == 0 ? nil : jobs.fault(ofJobs: first...first + count - 1)
    }

    func fault(of job: JournalEntry.FeedJob) -> String? { jobs.fault(ofJobs: job.job.rawValue...job.job.rawValue) }

    func fault(of stored: JournalEntry.StoredJobs) -> String? {
        guard let oldest = stored.jobs.min(), let newest = stored.jobs.max() else { return nil }
        return jobs.fault(ofJobs: oldest...newest)
    }

    func fault(of stored: JournalEntry.CountsStored) -> String? { jobs.fault(ofNext: stored.nextJob.rawValue) }

    func fault(of changed: JournalEntry.FeedChanged) -> String? { changed.state.failure.flatMap { jobs.fault(ofPassed: $0.id.rawValue) } }
}
