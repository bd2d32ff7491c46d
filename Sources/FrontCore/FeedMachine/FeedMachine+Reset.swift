//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

extension FeedMachine {
    /// Cancels what runs and forgets content, failure and selections. A reset that names a version is also refused while saves have not
    /// ended: they were accepted after that version, so the client may not know that it would drop them.
    mutating func reset(_ key: FeedKey, _ version: ContentVersion?, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn)
        -> Reply
    {
        guard let feed = feed(key, in: &turn) else { return tooManyFeeds(in: &turn) }
        let current = feed.state.content?.version ?? .none
        if let version, version != current {
            let text = "feed \(key.text.cut(to: Reply.quotedByteCount)) is at version \(current), not \(version): look again and repeat"
            return .conflict(text, key, version: current.rawValue)
        }
        if version != nil, turn.state.jobs.keyLines.first(of: .edit, key) != nil {
            let text = "feed \(key.text.cut(to: Reply.quotedByteCount)) has saves that have not ended: wait for them, or name no version"
            return .conflict(text, key, version: current.rawValue)
        }
        let label = turn.state.sessions.label(session)
        // Few: one that is stopping, the one that was asked for since, and one more behind that.
        for job in Array(turn.state.jobs.keyLines.backwards(.load, of: key)) {
            turn.step()
            _ = queue.cancel(job, by: .client(label), in: &turn)
        }
        if let newest = turn.state.jobs.keyLines.backwards(.edit, of: key).first(where: { _ in true }) {
            cancelEdits(of: key, upTo: newest, since: turn.now.wall, by: label, queue: &queue, in: &turn)
        }
        set(FeedState(key: key, isEditable: feed.state.isEditable), isAskedFor: false, in: &turn)
        for name in feed.viewNames {
            guard var view = turn.state.feeds.view(name, of: key) else { continue }
            let replaced = view.reset()
            set(view.state, of: key, in: &turn)
            // Cancelled once the view waits for them no longer: what they were asked for stays for the next content.
            for job in replaced { _ = queue.cancel(job, by: .client(label), in: &turn) }
        }
        return .done(version: feed.nextVersion - 1)
    }

    /// Goes on with a reset: jobs of the feed that came before it are cancelled.
    mutating func goOn(
        _ left: JournalEntry.WorkLeft, resetting key: FeedKey, by label: String, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        guard case .job(let newest)? = left.cursor else { return turn.finish(left.work) }
        cancelEdits(of: key, upTo: newest, since: left.since, by: label, queue: &queue, in: &turn)
    }

    /// Cancels jobs in the line of a feed's edits, as many as this turn may, the last one first: none begins because the one before it goes. Only
    /// the first of all may run; it stops at once, and no other does before it has.
    ///
    /// What is left may be granted meanwhile, if the first one was only waiting: `LeftWork.isReset` says that nothing becomes of it.
    private mutating func cancelEdits(
        of key: FeedKey, upTo newest: JobID, since time: WallTime, by label: String, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        let budget = turn.settings.bounds.resetJobs
        // The first one before all: it alone may be at work, and its result must not come meanwhile.
        if let first = turn.state.jobs.keyLines.first(of: .edit, key), first <= newest, turn.state.jobs[first.rawValue].state == .running,
            resetLooks < budget
        {
            resetLooks += 1
            _ = queue.cancel(first, by: .client(label), in: &turn)
        }
        var jobs: [JobID] = []
        var rest: JobID?
        // From there on, not from the end: saves that came since may be many, and each turn would walk along them again.
        for job in turn.state.jobs.keyLines.backwards(.edit, of: key, from: newest) {
            turn.step()
            // One that came after the reset, or is stopping already.
            guard job <= newest, turn.state.jobs[job.rawValue].state != .cancelling else { continue }
            guard resetLooks < budget else {
                rest = job
                break
            }
            resetLooks += 1
            jobs.append(job)
        }
        // Gathered before: a cancel takes its job out of the line that is walked along.
        for job in jobs { _ = queue.cancel(job, by: .client(label), in: &turn) }
        guard let rest else { return turn.finish(.reset(key, by: label)) }
        turn.leave(.reset(key, by: label), since: time, at: .job(rest))
    }
}

extension FeedMachine {
    /// Repeats the request that failed: a save by its own failure, everything else if that failure is still the last one.
    mutating func retry(
        _ key: FeedKey, _ view: String, _ id: FailureID, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn
    ) -> Reply {
        guard let feed = feed(key, in: &turn) else { return tooManyFeeds(in: &turn) }
        // A failed save concerns only the client that made it: the feed does not show it, and only that client can name it.
        if let failed = failedSave(id, of: key, in: turn) { return repeatSave(failed, session, queue: &queue, in: &turn) }
        if feed.state.failure?.id == id { return load(key, cause: .retry, session, queue: &queue, in: &turn) }
        guard let known = feed.views.machine(view) else { return .noView(view, of: key) }
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
        case .waiting, .scheduled, .running: return .accepted(earlier, joined: true)
        case .succeeded: return .refusal(.unknownItem, "\(reported) succeeded: nothing is left to repeat")
        case .failed: return .refusal(.unknownItem, "\(reported) failed too: repeat failure \(earlier) instead")
        case .quarantined: return .refusal(.quarantined, "\(reported) is quarantined: look at it with gantry job explain \(earlier)")
        case nil where earlier != .none:
            return .refusal(.unknownItem, "\(reported) is forgotten since: look whether the item is there, else save it anew")
        case nil, .cancelling, .cancelled, .expired:
            // What a cancelled job makes is never applied.
            return save(
                failed.key, failed.operation, itemID: failed.itemID, failed.item, repeats: failed.job, session, queue: &queue, in: &turn)
        }
    }
}
