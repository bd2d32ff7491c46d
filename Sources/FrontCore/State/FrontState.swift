//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Everything that is durable: five values with private state, which nothing but an entry changes, while serving and at restart alike. Whatever
/// changes it takes an `EntryTurn`, and only `FrontTurn.record` and `restore` make those.
///
/// Some steps take none, since they follow from what an epoch knows: ended jobs are forgotten by age and number, with what says that they were
/// repeated, and retained replies once the client says that it has them; what workers hold is put into the order of the grants when an epoch begins;
/// ids of jobs and leases are handed out, which the entries name that need them. A replay that still holds what was forgotten forgets it when the
/// next epoch looks.
///
/// They also keep what this epoch alone knows, beside it: connections, leases' ends, uses, which grants their workers have read. None of
/// that is in a checkpoint, and no entry changes it.
package struct FrontState: EntryState {
    var jobs = JobLifecycle()
    var sessions: ClientSessions
    var workers = WorkerSessions()
    var feeds = FeedTable()
    /// What is left to do of decisions about many.
    var left = LeftWork()

    init(requestWindow: UInt64 = Bounds().requestWindow) { sessions = ClientSessions(requestWindow: requestWindow) }

    /// Bytes beside the records of jobs and views: what admission and the ended jobs are bounded by.
    var bytes: StoredBytes {
        StoredBytes(
            queued: jobs.queuedByteCount, ended: ByEndedKind { jobs.ended.byteCount(of: $0) }, details: feeds.detailByteCount)
    }

    /// Ends a change, so that the next question for a job sees the present workers and lines.
    mutating func noteRooms() {
        while let index = workers.takeChanged() {
            guard let worker = workers[index] else { continue }
            jobs.noteReadiness(of: index, worker.readiness)
        }
        jobs.flush()
    }
}

extension FrontState {
    /// Every object that the shared state or a pending job names: collection must spare them.
    func namedObjects(at now: WallTime) -> Set<ObjectDigest> {
        var named = feeds.objectNames.objects
        for feed in feeds.all {
            // Kept for a day, so that people can look at what is damaged.
            for damaged in feed.sparedVersions(at: now) { named.insert(damaged.object) }
        }
        named.formUnion(jobs.keyLines.objectNames)
        return named
    }

    /// When the oldest running grant was made for the first time; nil: nothing runs. A worker that reregisters goes on with old work.
    var oldestGrant: WallTime? {
        // Held jobs stand in the order of their grants.
        workers.indices.compactMap { index in
            let held = jobs.held(by: index)
            return held.isEmpty ? nil : jobs[held.first].changedAt
        }
        .min()
    }
}

/// What jobs and views take in bytes beside their records, each kind with a bound of its own: counts alone bound nothing where one job may
/// carry 64 KiB, and a journal that is larger than the memory could never be read again.
struct StoredBytes: Equatable {
    /// What jobs that have not ended carry: arguments, and all that was asked of feeds.
    var queued = 0
    /// What ended jobs leave: arguments, results, and failures with their items, as those that failed can be repeated. Those that were cancelled or expired
    /// leave also what their loaders returned all the same.
    var ended = ByEndedKind(repeating: 0)
    /// Details in views.
    var details = 0
}

/// Entries that change more than one state, or of which one has to know what another holds.
extension FrontState {
    mutating func apply(_ accepted: JournalEntry.AcceptedJobs, _ turn: EntryTurn) {
        jobs.accept(accepted, from: asker(accepted.asker, accepted.submitter), turn: turn)
    }

    mutating func apply(_ job: JournalEntry.FeedJob, _ turn: EntryTurn) {
        jobs.accept(job, from: asker(job.asker, job.submitter), turn: turn)
    }

    /// Who asked for a job: named by its entry, as that session may have ended since, or by the submitter.
    private func asker(_ named: JobTerms.Asker, _ submitter: Submitter) -> JobTerms.Asker {
        named == JobTerms.Asker() ? sessions.asker(of: submitter) : named
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

// MARK: What cannot be true: see `EntryState`

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
