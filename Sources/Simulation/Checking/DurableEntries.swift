//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Model

/// What the journal's durable rows say, read from their bytes.
struct DurableEntries {
    /// Rows that were handed over and are not on the disk, oldest first, with their entries.
    var underWay: [(row: JournalRow, entries: [JournalEntry])] = []
    /// The turn of the row that was handed over last.
    var lastTurn = TurnNumber(1)
    private(set) var jobs: Set<UInt64> = []
    /// How each is to be run.
    private(set) var options: [UInt64: JobOptions] = [:]
    private(set) var ends: [UInt64: JobState] = [:]
    private(set) var cancels: Set<UInt64> = []
    /// The job of each lease.
    private(set) var leases: [UInt64: UInt64] = [:]
    /// The newest lease of each job.
    private(set) var newestLeases: [UInt64: UInt64] = [:]
    private(set) var sessions: Set<SessionID> = []
    private(set) var registrationNumbers: Set<RegistrationNumber> = []
    private(set) var feeds: [FeedKey: [FeedState]] = [:]
    private(set) var views: [Topic: [ViewState]] = [:]
    /// Jobs that a worker holds.
    private(set) var held: Set<UInt64> = []
    /// Work that is left to do, by its name.
    private(set) var work: Set<String> = []
    /// The last state of each feed and each view that is not forgotten.
    private(set) var lastFeeds: [FeedKey: FeedState] = [:]
    private(set) var lastViews: [FeedKey: [String: ViewState]] = [:]

    /// A row is on the disk.
    mutating func take(_ entries: [JournalEntry]) {
        for entry in entries { take(entry) }
    }

    /// Whether a row that is under way changes how a job is run.
    func isChanging(_ job: JobID) -> Bool {
        underWay.contains { _, entries in entries.changesTerms(of: job) }
    }

    private mutating func take(_ entry: JournalEntry) {
        takeJobs(of: entry)
        takeFeeds(of: entry)
        if case .workLeft(let left) = entry {
            if left.cursor == nil { work.remove(left.work.name) } else { work.insert(left.work.name) }
        }
        if case .sessionOpened(let opened) = entry { sessions.insert(opened.session) }
        if case .workerRegistered(let registered) = entry { registrationNumbers.insert(registered.registrationNumber) }
    }

    private mutating func takeJobs(of entry: JournalEntry) {
        if case .jobsAccepted(let accepted) = entry {
            for offset in 0..<accepted.arguments.count {
                jobs.insert(accepted.first.rawValue + UInt64(offset))
                options[accepted.first.rawValue + UInt64(offset)] = accepted.options[offset]
            }
        }
        if case .feedJobAccepted(let job) = entry {
            jobs.insert(job.job.rawValue)
            options[job.job.rawValue] = job.options
        }
        if case .granted(let granted) = entry {
            for (job, lease) in zip(granted.jobs, granted.leases) {
                leases[lease] = job
                newestLeases[job] = lease
            }
            held.formUnion(granted.jobs)
        }
        if case .ended(let ended) = entry {
            for (job, state) in zip(ended.jobs, ended.states) { ends[job] = state }
            held.subtract(ended.jobs)
        }
        if case .cancelRequested(let cancel) = entry { cancels.insert(cancel.job.rawValue) }
        if case .termsChanged(let change) = entry { options[change.job.rawValue] = change.options }
        if case .attemptsEnded(let ended) = entry { held.subtract(ended.jobs.map(\.job.rawValue)) }
    }

    private mutating func takeFeeds(of entry: JournalEntry) {
        if case .feedChanged(let changed) = entry {
            feeds[changed.state.key, default: []].append(changed.state)
            lastFeeds[changed.state.key] = changed.state
        }
        if case .viewChanged(let changed) = entry {
            views[.view(changed.key, changed.view.name), default: []].append(changed.view)
            lastViews[changed.key, default: [:]][changed.view.name] = changed.view
        }
        if case .feedForgotten(let forgotten) = entry { (lastFeeds[forgotten.key], lastViews[forgotten.key]) = (nil, nil) }
        if case .viewForgotten(let forgotten) = entry { lastViews[forgotten.key]?[forgotten.view] = nil }
    }
}

extension [JournalEntry] {
    /// Whether one of them changes how a job is run.
    func changesTerms(of job: JobID) -> Bool {
        contains { entry in
            guard case .termsChanged(let change) = entry else { return false }
            return change.job == job
        }
    }
}
