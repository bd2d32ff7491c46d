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
        guard let feed = turn.state.feeds[key], let view = feed.views[name] else {
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
    mutating func selectCreated(_ itemID: String, _ job: Fact.FeedJob, queue: inout JobQueue, in turn: inout FrontTurn) {
        guard let feed = turn.state.feeds[job.key], let view = feed.views[job.view] else { return }
        guard job.job > feed.selectedAfter[job.view] ?? .none else { return }
        _ = select(itemID, in: view, of: job.key, asOf: job.job, job.session, queue: &queue, in: &turn)
    }

    private mutating func select(
        _ itemID: String?, in old: ViewState, of key: FeedKey, asOf newest: JobID, _ session: SessionID, queue: inout JobQueue,
        in turn: inout FrontTurn
    ) -> Reply {
        var view = old
        view.version += 1
        view.failure = nil
        view.selection = itemID
        view.detail = .idle
        var reply = Reply.done(version: view.version)
        if let itemID {
            let job = acceptDetail(
                of: itemID, key, view.name, cause: .asked, before: selectionInEffect(old, in: turn), session, queue: &queue, in: &turn)
            view.detail = .loading(job)
            reply = .accepted(job, joined: false)
        }
        // The view has its new selection before the old one's job is cancelled: what is replaced is not taken back.
        set(view, of: key, selectedAfter: newest, in: &turn)
        if case .loading(let replaced) = old.detail { _ = queue.cancel(replaced, by: turn.state.sessions.label(session), in: &turn) }
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
        var view = view
        view.detail = .loading(job)
        set(view, of: key, in: &turn)
    }

    /// The details of selected items follow their content.
    ///
    /// - Parameter itemID: the only item that has changed; nil: any may have.
    mutating func reloadDetails(of key: FeedKey, changed itemID: String?, queue: inout JobQueue, in turn: inout FrontTurn) {
        for name in turn.state.feeds[key]?.viewNames ?? [] {
            turn.step()
            guard let view = turn.state.feeds[key]?.views[name], let selection = view.selection else { continue }
            switch view.detail {
            case .loaded, .stored, .failed: break
            case .idle, .loading: continue
            }
            // A detail of an address of its own does not change with the list.
            if let itemID { guard itemID == selection else { continue } } else if hasDetailAddress(key, in: turn) { continue }
            loadDetail(view, of: key, isShown: false, queue: &queue, in: &turn)
        }
    }

    private func hasDetailAddress(_ key: FeedKey, in turn: FrontTurn) -> Bool { turn.definitions[key.name]?.hasDetailAddress == true }

    /// What a detail's job brought is shown, if it is still what the view waits for.
    mutating func detailEnded(
        _ record: FeedJobRecord, _ failure: Failure?, _ result: FeedResult?, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        let job = record.job
        guard let feed = turn.state.feeds[job.key], var view = feed.views[job.view] else { return }
        let isAwaited = view.detail == .loading(job.job)
        guard isAwaited || followsContent(job, view) else { return }
        // Made from another content: the item may have changed since. What was made in an earlier life may be of any.
        let isOld =
            feed.state.content.map { $0.version != record.grantedVersion } ?? false
            && (job.cause == .refresh || !hasDetailAddress(job.key, in: turn))
        if isOld, failure == nil, !isAwaited { return loadDetail(view, of: job.key, isShown: false, queue: &queue, in: &turn) }
        if let failure {
            guard failure.code != .unknownItem else { return deselect(job, view, isAwaited ? failure : nil, queue: &queue, in: &turn) }
            view.detail = .failed(failure)
        } else if let object = result?.detailObject {
            view.detail = .stored(object)
        } else {
            view.detail = loaded(result?.detail ?? [], by: job, insteadOf: view.detail, in: &turn)
        }
        set(view, of: job.key, in: &turn)
        if isOld, failure == nil { loadDetail(view, of: job.key, isShown: false, queue: &queue, in: &turn) }
    }

    /// The detail itself, or why the views have no room for it.
    private mutating func loaded(_ detail: [UInt8], by job: Fact.FeedJob, insteadOf old: Detail, in turn: inout FrontTurn) -> Detail {
        let others = turn.state.feeds.detailByteCount - old.byteCount
        guard others + detail.count > turn.settings.bounds.detailByteCount else { return .loaded(detail) }
        turn.context.noteBusy(.detailByteCount)
        let text = "details of all views hold \(others) bytes (limit): deselect items of other views, then retry"
        return .failed(Failure(id: FailureID(job.job.rawValue), code: .busy, text: text, retryable: true))
    }

    /// Whether a job loads the shown detail of a view's selection again.
    private func followsContent(_ job: Fact.FeedJob, _ view: ViewState) -> Bool {
        guard job.cause == .refresh, view.selection == job.itemID else { return false }
        switch view.detail {
        case .loaded, .stored, .failed: return true
        case .idle, .loading: return false
        }
    }

    /// A selection that did not come into effect gives way to the one before it.
    mutating func deselect(_ job: Fact.FeedJob, _ changed: ViewState, _ failure: Failure?, queue: inout JobQueue, in turn: inout FrontTurn)
    {
        var view = changed
        if let failure { view.failure = failure }
        if view.selection != job.previousItemID { view.version += 1 }
        view.selection = job.previousItemID
        view.detail = .idle
        set(view, of: job.key, in: &turn)
        guard turn.state.feeds[job.key]?.state.content != nil else { return }
        loadDetail(view, of: job.key, isShown: true, queue: &queue, in: &turn)
    }
}
