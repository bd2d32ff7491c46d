//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Actions with many jobs as durable entries tell of them.
struct BulkWatch {
    /// One that is left: what it is, and the newest job that it may be done with.
    private struct Action {
        let work: JournalEntry.BulkActionWork
        let newest: JobID
    }

    private var left: [UInt64: Action] = [:]
    /// What each number has stood for: a new life of the front may give one again.
    private var works: [UInt64: [BulkRequest]] = [:]

    /// What an entry says that has just begun; nil: nothing began.
    mutating func take(_ entry: JournalEntry.WorkLeft) -> (began: JournalEntry.BulkActionWork?, ended: (BulkRequest, newest: JobID)?) {
        guard case .bulk(let work) = entry.work else { return (nil, nil) }
        if case .job(let newest)? = entry.cursor {
            guard left[work.number] == nil else { return (nil, nil) }
            left[work.number] = Action(work: work, newest: newest)
            works[work.number, default: []].append(BulkRequest(work.action, work.selection))
            return (work, nil)
        }
        guard let action = left.removeValue(forKey: work.number) else { return (nil, nil) }
        return (nil, (BulkRequest(action.work.action, action.work.selection), action.newest))
    }

    /// Whether an action of that number was ever what a client has asked for.
    func isKnown(_ number: UInt64, as asked: BulkRequest) -> Bool { works[number]?.contains(asked) ?? false }
}

extension QueueWatch {
    /// An action with many jobs has come further.
    mutating func takeBulk(_ entry: JournalEntry.WorkLeft) {
        let (began, ended) = bulkActions.take(entry)
        if let began {
            // From now on their time may come at once, and they may have another priority.
            switch began.action {
            case .promote, .delay: for id in jobs.keys { moves(JobID(id)) }
            case .cancel, .reprioritize, .forgive: break
            }
        }
        guard let (request, newest) = ended, request.action == .cancel, request.selection.tags.isEmpty else { return }
        for (id, job) in jobs where id <= newest.rawValue && job.loader == request.selection.loader && !job.wasHeld && job.worker == nil {
            find(.bulksAreWhole, "job \(id) of \(job.loader) waits, and a cancel of all those up to \(newest) has ended")
        }
    }
}
