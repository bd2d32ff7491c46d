//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FeedMachine {
    /// Selects an item and loads its detail; the newest selection wins.
    mutating func select(
        _ key: FeedKey, _ name: String, _ itemID: String?, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn
    )
        -> Reply
    {
        guard let feed = turn.state.feeds[key], let view = feed.views.machine(name) else {
            return .refusal(.unknownItem, "feed \(key) has no view \(name)")
        }
        // Before anything is changed: what is refused leaves the selection before it alone.
        if let itemID {
            guard itemID.utf8.count <= turn.settings.bounds.itemIDByteCount else {
                return .refusal(.tooLarge, "the item's id is over \(turn.settings.bounds.itemIDByteCount) bytes (limit)")
            }
            guard feed.state.content != nil else {
                let nextStep = turn.definitions[key.name]?.sourceLoader == nil ? "add an item to it" : "load it"
                return .refusal(.unknownItem, "feed \(key) has no content yet: \(nextStep) first")
            }
        }
        return select(itemID, in: view, of: key, asOf: JobID(turn.state.jobs.numbers.nextJob - 1), session, queue: &queue, in: &turn)
    }

    /// A save's new item is selected, unless somebody has selected since the save was accepted: the newest request wins, not the newest end.
    mutating func selectCreated(_ itemID: String, _ job: JournalEntry.FeedJob, queue: inout JobQueue, in turn: inout FrontTurn) {
        guard let view = view(of: job, in: &turn) else { return }
        guard job.job > view.selectedAfter else { return turn.context.noteIgnored(.selectedSince) }
        _ = select(itemID, in: view, of: job.key, asOf: job.job, job.submitter.session, queue: &queue, in: &turn)
    }

    private mutating func select(
        _ itemID: String?, in old: ViewMachine, of key: FeedKey, asOf newest: JobID, _ session: SessionID, queue: inout JobQueue,
        in turn: inout FrontTurn
    ) -> Reply {
        var view = old
        let replaced = view.select(itemID)
        var reply = Reply.done(version: view.state.version)
        if let itemID {
            let before = selectionInEffect(old.state, in: turn)
            let job = acceptDetail(
                of: itemID, key, view.state.name, cause: .asked, before: before, session, queue: &queue, in: &turn)
            view.awaitDetail(by: job)
            reply = .accepted(job, joined: false)
        }
        // The view has its new selection before the old one's job is cancelled: what is replaced is not taken back.
        set(view.state, of: key, selectedAfter: newest, in: &turn)
        if let replaced { _ = queue.cancel(replaced, by: .client(turn.state.sessions.label(session)), in: &turn) }
        return reply
    }

    /// What is gone back to when a selection is cancelled: a selection whose detail is still on its way is not in effect yet.
    private func selectionInEffect(_ view: ViewState, in turn: FrontTurn) -> String? {
        guard case .loading(let job) = view.detail, let pending = turn.state.jobs.keyLines[job.rawValue]?.job, pending.cause == .asked
        else {
            return view.selection
        }
        return pending.previousItemID
    }

    private mutating func acceptDetail(
        of itemID: String, _ key: FeedKey, _ view: String, cause: LoadCause, before previous: String?, _ session: SessionID,
        queue: inout JobQueue, in turn: inout FrontTurn
    ) -> JobID {
        var job = viewJob(.detail, key, view, session, queue: &queue, in: &turn)
        job.itemID = itemID
        job.cause = cause
        job.previousItemID = previous
        turn.record(.feedJobAccepted(job))
        return job.job
    }

    /// Loads the detail of the selected item again: shown as loading when there is none to show, otherwise the old one stays until then.
    mutating func loadDetail(_ view: ViewState, of key: FeedKey, isShown: Bool, queue: inout JobQueue, in turn: inout FrontTurn) {
        guard let selection = view.selection else { return }
        let job = acceptDetail(of: selection, key, view.name, cause: .refresh, before: nil, .none, queue: &queue, in: &turn)
        guard isShown else { return }
        var waiting = ViewMachine(view)
        waiting.awaitDetail(by: job)
        set(waiting.state, of: key, in: &turn)
    }

    /// The details of selected items follow their content.
    ///
    /// - Parameter itemID: the only item that has changed; nil: any may have.
    mutating func reloadDetails(of key: FeedKey, changed itemID: String?, queue: inout JobQueue, in turn: inout FrontTurn) {
        for name in turn.state.feeds[key]?.viewNames ?? [] {
            turn.step()
            guard let view = turn.state.feeds.view(name, of: key) else { continue }
            guard view.followsContent(changed: itemID, isApart: hasDetailAddress(key, in: turn)) else { continue }
            loadDetail(view.state, of: key, isShown: false, queue: &queue, in: &turn)
        }
    }

    private func hasDetailAddress(_ key: FeedKey, in turn: FrontTurn) -> Bool { turn.definitions[key.name]?.hasDetailAddress == true }

    /// What a detail's job brought is shown, if it is still what the view waits for.
    mutating func detailEnded(
        _ record: FeedJobRecord, _ failure: Failure?, _ result: FeedResult?, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        let job = record.job
        guard var view = view(of: job, in: &turn) else { return }
        let old = view.state.detail
        let step: ViewMachine.Step
        if let failure {
            step = view.detailFailed(job, failure)
        } else {
            // Made from another content: the item may have changed since. What was made in an earlier life may be of any.
            let isOld =
                turn.state.feeds[job.key]?.state.content.map { $0.version != record.grantedVersion } ?? false
                && (job.cause == .refresh || !hasDetailAddress(job.key, in: turn))
            step = view.detailCame(detail(of: result, by: job, insteadOf: old, in: &turn), by: job, isOld: isOld)
        }
        carryOut(step, view, of: job.key, .none, queue: &queue, in: &turn)
    }

    /// The detail itself, or why the views have no room for it.
    private func detail(of result: FeedResult?, by job: JournalEntry.FeedJob, insteadOf old: Detail, in turn: inout FrontTurn) -> Detail {
        if let object = result?.detailObject { return .stored(object) }
        let detail = result?.detail ?? []
        let others = turn.state.feeds.detailByteCount - old.byteCount
        guard others + detail.count > turn.settings.bounds.detailByteCount else { return .loaded(detail) }
        turn.context.noteBusy(.detailByteCount)
        let text = "details of all views hold \(others) bytes (limit): deselect items of other views, then retry"
        return .failed(Failure(id: FailureID(job.job.rawValue), code: .busy, text: text, retryable: true))
    }
}
