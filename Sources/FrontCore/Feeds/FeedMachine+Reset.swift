//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FeedMachine {
    /// Cancels what runs and forgets content, failure and selections. Who names a version is refused while saves have not ended, too: they were
    /// accepted since that version, and are dropped by nobody who does not know of them.
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
        // Two at most: one that is stopping, and the one that was asked for since.
        for job in Array(turn.state.jobs.keyLines.backwards(.load, of: key)) {
            turn.step()
            _ = queue.cancel(job, by: .client(label), in: &turn)
        }
        if let newest = turn.state.jobs.keyLines.backwards(.edit, of: key).first(where: { _ in true }) {
            cancelEdits(of: key, upTo: newest, since: turn.now.wall, by: label, queue: &queue, in: &turn)
        }
        var changed = FeedState(key: key, isEditable: feed.state.isEditable)
        changed.activity = .idle
        set(changed, isAskedFor: false, in: &turn)
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
        for job in jobs { _ = queue.cancel(job, by: .client(label), in: &turn) }
        guard let rest else { return turn.finish(.reset(key, by: label)) }
        turn.leave(.reset(key, by: label), since: time, at: .job(rest))
    }
}
