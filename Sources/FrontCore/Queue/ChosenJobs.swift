//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Jobs that an action with many is done with, as they are found.
struct ChosenJobs {
    private var filter: JobFilter
    private let query: JobQuery
    private let action: BulkAction
    private let states: [JobState]
    private let since: WallTime
    /// Jobs that are looked at, and that are chosen, at most.
    var limits = (looks: Int.max, jobs: Int.max)
    /// Whether they are only counted.
    var isCounted = false
    /// Those that were found.
    private(set) var jobs: [UInt64] = []
    /// Those that were found and have ended.
    private(set) var repeated: [RepeatedJob] = []
    /// Bytes of what those work on.
    private var byteCount = 0
    /// How many those are.
    private(set) var count = 0
    /// Jobs that are of the selection and have changed since.
    private(set) var changed: UInt64 = 0
    /// Jobs that were looked at.
    private(set) var looks = 0
    /// The first one that was not; nil: all were.
    private(set) var next: JobID?

    /// Bytes that one turn repeats, and once it has them no further job: they are in its row.
    private static let byteLimit = 1 << 20

    init(_ selection: JobQuery, _ action: BulkAction, since: WallTime) {
        (filter, query, self.action, self.since) = (JobFilter(selection), selection, action, since)
        states = selection.state == nil ? action.usualStates : action.states
    }

    /// The jobs that are repeated are among those that failed or were quarantined, which have lines of their own.
    var wantsFailedOnly: Bool { states.allSatisfy { EndedKind($0) == .failed } || query.wantsFailed }

    /// Whether one more may be looked at; otherwise the next turn goes on with it.
    mutating func mayLook(at job: UInt64) -> Bool {
        guard looks < limits.looks, count < limits.jobs, byteCount < Self.byteLimit else {
            next = JobID(job)
            return false
        }
        looks += 1
        return true
    }

    /// This job has to be read first.
    mutating func stop(at job: UInt64) { next = JobID(job) }

    /// Whether the action does anything with such a job.
    private func takes(_ record: JobRecord) -> Bool {
        guard states.contains(record.state) else { return false }
        // To forgive one against which nothing counts is nothing done.
        return action != .forgive || record.crashCount > 0 || record.flags.contains(.suspected)
    }

    // What is asked of the state comes as closures: for a call with it the whole state would be copied.

    mutating func look(
        at record: JobRecord, loader: @autoclosure () -> String, tags: @autoclosure () -> [String], feed: @autoclosure () -> FeedKey?,
        code: @autoclosure () -> FailureCode?, lastChange: @autoclosure () -> WallTime
    ) {
        guard takes(record),
            filter.admits(record, loader: loader(), tags: tags(), feed: feed(), code: code(), lastChange: lastChange())
        else { return }
        // One that has only been accepted is known by its number, whatever the wall clock has shown then.
        guard record.wasNeverGranted || lastChange() <= since else {
            changed += 1
            return
        }
        count += 1
        if !isCounted { jobs.append(record.id) }
    }
}

// MARK: Jobs that have ended

/// A job that is to be repeated.
struct RepeatedJob {
    let job: UInt64
    let loader: String
    let options: JobOptions
    let argument: [UInt8]
    /// How many that had changed were found before it.
    let changedBefore: UInt64
}

extension ChosenJobs {
    /// Looks at a job in memory.
    /// - Returns: whether it is to be repeated.
    mutating func lookAtEnded(
        _ record: JobRecord, loader: @autoclosure () -> String, tags: @autoclosure () -> [String], code: @autoclosure () -> FailureCode?,
        lastChange: @autoclosure () -> WallTime
    ) -> Bool {
        guard states.contains(record.state), !record.flags.contains(.isFeedJob), query.feed.isEmpty,
            filter.admits(record, loader: loader(), tags: tags(), feed: nil, code: code(), lastChange: lastChange()), mayRepeat(code())
        else { return false }
        return choose(endedAt: record.changedAt)
    }

    /// Whether a job of a bundle may be one, by what is known of it without a reading.
    func mayAdmit(_ item: BundledPage.Item) -> Bool {
        states.contains(item.state) && filter.admits(item.state) && query.feed.isEmpty
            && (query.code.map { EndedKind(item.state) != .failed || item.mayHaveFailed(with: $0) } ?? true)
    }

    /// Looks at a job that was read.
    /// - Returns: whether it is to be repeated.
    mutating func lookAtEnded(_ job: JobSummary) -> Bool {
        guard states.contains(job.state), job.feed == nil, !job.loader.isEmpty, filter.admits(job), mayRepeat(job.failure?.code) else {
            return false
        }
        return choose(endedAt: job.endedAt ?? WallTime(milliseconds: 0))
    }

    /// One of a bundle that cannot be read: it would have been chosen, perhaps.
    mutating func passUnreadable(_ item: BundledPage.Item) { if !isCounted, mayAdmit(item) { changed += 1 } }

    /// What may have been done is done again only where somebody names that.
    private func mayRepeat(_ code: FailureCode?) -> Bool { code != .outcomeUnknown || query.code == .outcomeUnknown }

    private mutating func choose(endedAt time: WallTime) -> Bool {
        guard time <= since else {
            changed += 1
            return false
        }
        count += 1
        return !isCounted
    }

    /// One is to be repeated.
    mutating func take(_ job: UInt64, _ summary: JobSummary, _ argument: [UInt8]) {
        repeated.append(
            RepeatedJob(
                job: job, loader: summary.loader, options: summary.options.repeating(JobID(job)), argument: argument,
                changedBefore: changed))
        byteCount += argument.count
    }
}
