//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FeedMachine {
    /// Repeats the request that failed: a save by its own failure, everything else if that failure is still the last one.
    mutating func retry(
        _ key: FeedKey, _ view: String, _ id: FailureID, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn
    ) -> Reply {
        guard let feed = feed(key, in: &turn) else { return tooManyFeeds(in: &turn) }
        // A failed save is the asker's alone: the feed does not show it, and only who was told of it can name it.
        if let failed = failedSave(id, of: key, in: turn) { return repeatSave(failed, session, queue: &queue, in: &turn) }
        if feed.state.failure?.id == id { return load(key, cause: .retry, session, queue: &queue, in: &turn) }
        guard let known = feed.views.machine(view) else { return .refusal(.unknownItem, "feed \(key) has no view \(view)") }
        if case .failed(let failure) = known.state.detail, failure.id == id {
            return select(key, view, known.state.selection, session, queue: &queue, in: &turn)
        }
        if known.state.failure?.id == id, let failed = turn.state.jobs.keyLines[id.rawValue]?.job {
            if failed.operation == .detail { return select(key, view, failed.itemID, session, queue: &queue, in: &turn) }
            return sortAgain(failed, known, session, queue: &queue, in: &turn)
        }
        return .refusal(.unknownItem, "failure \(id) is not the last one of feed \(key): nothing to repeat")
    }

    /// Asks again for what the failed order was asked for; what others asked for since stays.
    private mutating func sortAgain(
        _ failed: JournalEntry.FeedJob, _ old: ViewMachine, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn
    ) -> Reply {
        var view = old
        view.repeatOrder(of: failed)
        return sort(view.state, of: failed.key, for: failed.requests, session, queue: &queue, in: &turn)
    }

    private func failedSave(_ id: FailureID, of key: FeedKey, in turn: FrontTurn) -> JournalEntry.FeedJob? {
        guard let job = turn.state.jobs.keyLines[id.rawValue]?.job, job.key == key, job.operation == .create || job.operation == .update
        else {
            return nil
        }
        return turn.state.jobs.contains(id.rawValue) && turn.state.jobs[id.rawValue].state == .failed ? job : nil
    }

    /// Saves again what failed, once: two repetitions of one create would make two items.
    private mutating func repeatSave(_ failed: JournalEntry.FeedJob, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn)
        -> Reply
    {
        let earlier = failed.repeatedBy
        let became = turn.state.jobs.state(of: earlier.rawValue)
        let reported = "failure \(failed.job) of feed \(failed.key) was repeated by job \(earlier), which"
        switch became {
        case .waiting, .running: return .accepted(earlier, joined: true)
        case .succeeded: return .refusal(.unknownItem, "\(reported) succeeded: nothing is left to repeat")
        case .failed: return .refusal(.unknownItem, "\(reported) failed too: repeat failure \(earlier) instead")
        case .quarantined: return .refusal(.quarantined, "\(reported) is quarantined: look at it with gantry job explain \(earlier)")
        case nil where earlier != .none:
            return .refusal(.unknownItem, "\(reported) is forgotten since: look whether the item is there, else save it anew")
        case nil, .cancelling, .cancelled:
            // What a cancelled job makes is never applied.
            return save(
                failed.key, failed.operation, itemID: failed.itemID, failed.item, repeats: failed.job, session, queue: &queue, in: &turn)
        }
    }
}
