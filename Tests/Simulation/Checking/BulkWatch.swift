//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

/// Actions with many jobs as durable entries tell of them.
struct BulkWatch {
    /// One that is left: what it is, and the newest job that it may be done with.
    private struct Action {
        let work: JournalEntry.BulkActionWork
        let newest: JobID
        /// Where it goes on.
        var cursor: JobID
        /// Jobs that it has repeated.
        var repeated: Set<UInt64> = []
        /// Jobs that it has to repeat.
        var dead: Set<UInt64> = []
    }

    private var left: [UInt64: Action] = [:]
    /// What each number has stood for: a new life of the front may give one again.
    private var works: [UInt64: [BulkRequest]] = [:]
    /// Jobs of submits that failed for good, with their loaders; those with an unknown outcome are repeated only by name.
    private var dead: [UInt64: String] = [:]
    /// Those of them that somebody has repeated.
    private var repeatedByAny: Set<UInt64> = []
    /// Jobs that this row repeats, by an action that it names next.
    private var repeated: [UInt64] = []
    /// Whether the front may forget ended jobs before an action comes to them.
    var forgetsEndedJobs = false

    /// What an entry says that has just begun; nil: nothing began.
    mutating func take(
        _ entry: JournalEntry.WorkLeft
    ) -> (began: JournalEntry.BulkActionWork?, ended: (BulkRequest, newest: JobID)?, fault: String?) {
        guard case .bulk(let work) = entry.work else { return (nil, nil, nil) }
        let fault = repeatMore(work, next: entry.cursor)
        if case .job(let newest)? = entry.cursor {
            guard left[work.number] == nil else { return (nil, nil, fault) }
            var action = Action(work: work, newest: newest, cursor: newest)
            if work.action == .retry, work.selection.state == nil {
                action.dead = Set(dead.filter { $0.key <= newest.rawValue && $0.value == work.selection.loader }.keys)
            }
            left[work.number] = action
            works[work.number, default: []].append(BulkRequest(work.action, work.selection))
            return (work, nil, nil)
        }
        guard let action = left.removeValue(forKey: work.number) else { return (nil, nil, fault) }
        return (nil, (BulkRequest(action.work.action, action.work.selection), action.newest), fault)
    }

    /// An entry accepts jobs in the place of ended ones; of those of an action with many nobody else is the submitter.
    /// - Returns: what is wrong with that; nil: nothing.
    mutating func takeRepeated(_ entry: JournalEntry) -> String? {
        guard case .jobsAccepted(let accepted) = entry else { return nil }
        let jobs = (0..<accepted.arguments.count).compactMap { accepted.options[$0].retryOf?.rawValue }
        let again = accepted.submitter == .front ? jobs.first { repeatedByAny.contains($0) } : nil
        if accepted.submitter == .front { repeated += jobs }
        // What names another one has repeated it where its work is the same, which an action with many always is.
        let named = accepted.repeats.map(\.value.rawValue)
        if let other = named.first(where: { !jobs.contains($0) }) { return "job \(other) is repeated by jobs that do not name it" }
        if accepted.submitter == .front, named.sorted() != jobs.sorted() { return "an action with many repeats \(jobs), and says \(named)" }
        repeatedByAny.formUnion(named.filter { dead[$0] != nil })
        return again.map { "job \($0) is repeated by an action with many, and was before" }
    }

    /// A job of a submit has failed for good.
    mutating func noteDead(_ job: UInt64, of loader: String) { dead[job] = loader }

    /// What is wrong with how far an action has come that repeats jobs; nil: nothing, or it is another one.
    private mutating func repeatMore(_ work: JournalEntry.BulkActionWork, next: JournalEntry.WorkLeft.Cursor?) -> String? {
        guard work.action == .retry, var action = left[work.number] else { return nil }
        defer { repeated = [] }
        var cursor: JobID?
        if case .job(let job)? = next { cursor = job }
        for job in repeated {
            guard action.repeated.insert(job).inserted else { return "job \(job) is repeated twice by action \(work.number)" }
            guard job <= action.cursor.rawValue, cursor.map({ job > $0.rawValue }) ?? true else {
                return "job \(job) is repeated by action \(work.number), which goes on at \(cursor?.rawValue ?? 0)"
            }
        }
        action.cursor = cursor ?? action.cursor
        left[work.number] = action
        if work.done != UInt64(action.repeated.count) {
            return "action \(work.number) has repeated \(action.repeated.count) jobs, and says \(work.done)"
        }
        let missing = action.dead.subtracting(action.repeated).subtracting(repeatedByAny).count
        guard cursor == nil, !forgetsEndedJobs, missing > 0, UInt64(missing) > work.passedOver else { return nil }
        return "action \(work.number) has ended without \(missing) jobs, and has passed over \(work.passedOver)"
    }

    /// Whether an action of that number was ever what a client has asked for.
    func isKnown(_ number: UInt64, as asked: BulkRequest) -> Bool { works[number]?.contains(asked) ?? false }
}

extension QueueWatch {
    /// An action with many jobs has come further.
    mutating func takeBulk(_ entry: JournalEntry.WorkLeft) {
        let (began, ended, fault) = bulkActions.take(entry)
        if let fault { find(.repeatedOnce, fault) }
        if let began {
            // From now on their time may come at once, and they may have another priority.
            switch began.action {
            case .promote, .delay: for id in jobs.keys { moves(JobID(id)) }
            case .cancel, .reprioritize, .forgive, .retry: break
            }
        }
        guard let (request, newest) = ended, request.action == .cancel, request.selection.tags.isEmpty else { return }
        for (id, job) in jobs where id <= newest.rawValue && job.loader == request.selection.loader && !job.wasHeld && job.worker == nil {
            find(.bulksAreWhole, "job \(id) of \(job.loader) waits, and a cancel of all those up to \(newest) has ended")
        }
    }

    /// Jobs of submits have failed for good, those among them that may be repeated without being named.
    mutating func noteDead(_ ended: JournalEntry.EndedJobs) {
        let unknown = Set(ended.failures.filter { $0.value.code == .outcomeUnknown }.map { ended.jobs[Int($0.index)] })
        for (id, state) in zip(ended.jobs, ended.states) where state == .failed || state == .quarantined {
            if let job = jobs[id], job.retry != nil, !unknown.contains(id) { bulkActions.noteDead(id, of: job.loader) }
        }
    }
}
