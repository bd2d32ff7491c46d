//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// A view of a feed: its requested and present order and filter, the jobs under way for it, and the sessions that use it.
///
/// Each event has a method, which decides what the view becomes and says what else is to be done. What observers see of a view is durable: what it
/// becomes is recorded, and that entry (`apply`) changes the one in `FeedTable`. How far the detail of the selected item is says `Detail`.
struct ViewMachine {
    /// How pages stand to the order and the filter that were asked for.
    enum Standing: Hashable, CaseIterable {
        /// There is nothing to order, for its feed has no content. Moves to shown or asked when a content comes.
        case empty
        /// Pages are read by what was asked for. Moves to asked when something else is asked for, to sorting when another content comes, and to
        /// empty when the content goes.
        case shown
        /// Something is asked for that is not in effect, and no job makes it. So it is within one event only, unless its content is gone: moves to
        /// sorting by the job that is accepted for it, and to shown when that is asked for again which is in effect.
        case asked
        /// A job makes what was asked for, and pages are read by what was in effect before. Another job takes its place when something else is
        /// asked for or another content comes. Moves to shown when the order is made, or is taken back and nothing else is asked for, and to
        /// empty when the content goes.
        case sorting
    }

    /// What else is to be done for a view when something has become of a job.
    enum Step: Hashable {
        /// Nothing, and the view is as it was: it does not wait for that job any more.
        case ignore(FrontIgnoredReason)
        /// Nothing.
        case rest
        /// The order that it asks for is made, on behalf of these requests.
        case sort(ViewRequests)
        /// The detail of the selected item, if there is one and a content, is loaded; `isShown`: the view waits for it, having none to show.
        case loadDetail(isShown: Bool)
    }

    /// As observers see it.
    private(set) var state: ViewState
    /// The newest job there was when its selection was asked for.
    private(set) var selectedAfter = JobID.none

    // What follows is not durable.

    /// How many sessions are attached to it.
    private(set) var attachmentCount = 0
    /// When somebody last named it or was seen attached to it; nil: nobody was yet.
    private var usedAt: MonotonicTime?

    /// What observers see of a view, to decide what becomes of it.
    init(_ state: ViewState) { self.state = state }

    /// A view that somebody names for the first time: it begins as the view of all does, without its filter and selection.
    init(named name: String, beside shared: ViewState?, of content: FeedContent?) {
        state = ViewState(name: name)
        state.sort = shared?.sort
        guard let content else { return }
        let revision = shared?.revision
        // The shared pages serve only where they are in the order of the new view, and not filtered: it has no filter.
        let isFitting = revision.map { $0.sort == state.sort && $0.filter.isEmpty } ?? false
        state.revision = isFitting ? revision : ViewRevision(plain: content)
    }
}

// MARK: Questions

extension ViewMachine {
    /// How its pages stand to what was asked for.
    var standing: Standing {
        if state.sorting != nil { return .sorting }
        if state.revision == nil { return .empty }
        return state.pendingRequests.isEmpty ? .shown : .asked
    }

    /// Whether a job was granted to make exactly the order that is asked for.
    func isMade(by work: FeedWork) -> Bool { work.sort == state.sort && work.filter == state.filter }

    /// Whether the shown detail is to be loaded again because the content has changed.
    ///
    /// - Parameters:
    ///   - itemID: The only item that has changed; nil: any may have.
    ///   - isApart: Whether details come from an address of their own: they do not change with the list then.
    func followsContent(changed itemID: String?, isApart: Bool) -> Bool {
        guard let selection = state.selection, hasDetail else { return false }
        return itemID.map { $0 == selection } ?? !isApart
    }

    /// Whether it waits for that job to make its order.
    private func awaitsOrder(by job: JobID) -> Bool { state.sorting == job }

    /// Whether what it is ordered and filtered by is not in effect, and no job makes it so.
    private var isOrderMissing: Bool { standing == .asked }

    /// Whether it waits for that job to load its detail.
    private func awaitsDetail(by job: JobID) -> Bool { state.detail.job == job }

    /// Whether something has come of the detail of its selection.
    private var hasDetail: Bool {
        switch state.detail {
        case .loaded, .stored, .failed: true
        case .idle, .loading: false
        }
    }

    /// Whether a job loads the shown detail of the selection again.
    private func isFollowed(by job: JournalEntry.FeedJob) -> Bool { job.cause == .refresh && state.selection == job.itemID && hasDetail }
}

// MARK: Requests

extension ViewMachine {
    /// It is ordered by another field; nil: in the list's own order.
    mutating func sort(by order: SortOrder?) {
        state.sort = order
        noteRequest()
    }

    /// It is filtered by another text.
    mutating func filter(by text: String) {
        state.filter = text
        noteRequest()
    }

    /// What a failed order was asked for is asked for again; what others asked for since stays.
    mutating func repeatOrder(of failed: JournalEntry.FeedJob) {
        if failed.requests.contains(.sort) { state.sort = failed.sort }
        if failed.requests.contains(.filter) { state.filter = failed.filter }
        if !failed.requests.isEmpty { state.version += 1 }
        state.failure = nil
    }

    /// Another item is selected; nil: none.
    /// - Returns: the job that loads the detail of the one before, which nobody waits for any more.
    mutating func select(_ itemID: String?) -> JobID? {
        let replaced = state.detail.job
        let failure = isOrderMissing ? state.failure : nil
        noteRequest()
        // The reason why it is not ordered as requested stays: nothing else shows it.
        state.failure = failure
        state.selection = itemID
        state.detail = .idle
        return replaced
    }

    /// Its feed is reset: the content goes, and with it what was selected. What it is ordered and filtered by stays for the next one.
    /// - Returns: the jobs that nobody waits for any more.
    mutating func reset() -> [JobID] {
        let replaced = [contentLost(), state.detail.job].compactMap { $0 }
        noteRequest()
        deselect()
        return replaced
    }

    private mutating func noteRequest() {
        state.version += 1
        state.failure = nil
    }

    private mutating func deselect() {
        state.selection = nil
        state.detail = .idle
    }
}

// MARK: Orders

extension ViewMachine {
    /// A job makes what is asked for; nil: none does, it is in effect as soon as there is something to order.
    /// - Returns: the job that did so before, which nobody waits for any more.
    mutating func beginSort(by job: JobID?) -> JobID? {
        defer { state.sorting = job }
        return state.sorting
    }

    /// Its order is made of a content.
    mutating func orderMade(_ record: FeedJobRecord, _ result: FeedResult, of content: FeedContent) -> Step {
        let job = record.job
        guard awaitsOrder(by: job.job) else { return .ignore(.orderNotAwaited) }
        // Made of another content, or granted in an earlier epoch, which may have been of any.
        guard let work = record.granted, record.grantedVersion == content.version else { return .sort(job.requests) }
        state.sorting = nil
        state.revision = ViewRevision(
            content: content.object, order: result.order, version: content.version, sort: job.sort, filter: job.filter)
        if !result.selectionFound, work.itemID == state.selection { deselect() }
        return .rest
    }

    /// Its order is not made: what its job's requests changed is put back, and what another request asked for meanwhile is made now.
    ///
    /// A job without requests makes anew what is in effect by an earlier one. If it fails nothing is put back: it is made of the next content, or
    /// when somebody repeats it. Who cancels it does not want that order any more.
    /// - Parameter failure: Why; nil: it was cancelled.
    mutating func orderFailed(_ job: JournalEntry.FeedJob, _ failure: Failure?) -> Step {
        guard awaitsOrder(by: job.job) else { return .ignore(.orderNotAwaited) }
        state.sorting = nil
        if let failure { state.failure = failure }
        if job.requests.isEmpty, failure != nil { return .rest }
        let asked = (state.sort, state.filter)
        state.takeBack(job.requests.isEmpty ? state.pendingRequests : job.requests)
        // Another order than the one that its version named: a client that saw that one gets a conflict.
        if (state.sort, state.filter) != asked { state.version += 1 }
        return state.pendingRequests.isEmpty ? .rest : .sort(state.pendingRequests)
    }

    /// A job of its order does not exist any more.
    mutating func orderLost(_ job: JobID) -> Step {
        guard awaitsOrder(by: job) else { return .ignore(.orderNotAwaited) }
        state.sorting = nil
        return .sort(state.pendingRequests)
    }

    /// Another content comes, with the order of it that it asks for.
    /// - Returns: the job that made the order of the content before, which nobody waits for any more.
    mutating func takeContent(_ content: FeedContent, _ result: FeedResult, for work: FeedWork) -> JobID? {
        let replaced = beginSort(by: nil)
        state.failure = nil
        state.revision = ViewRevision(
            content: content.object, order: result.order, version: content.version, sort: state.sort, filter: state.filter)
        // A save is of one item, and says nothing of the others.
        let isOfAll = work.operation == .load || work.operation == .merge
        if isOfAll, !result.selectionFound, work.itemID == state.selection { deselect() }
        return replaced
    }

    /// The content goes, for it turned out damaged; what it is ordered and filtered by, and what is selected, stays for the next one.
    /// - Returns: the job that nobody waits for any more.
    mutating func contentLost() -> JobID? {
        state.revision = nil
        return beginSort(by: nil)
    }

    /// An object turned out damaged. If its pages are read by that, or by another content than there is by now, they are read by another pair.
    /// - Parameter requests: what the job that makes its order was asked for by; it is made anew by another one.
    mutating func objectDamaged(_ object: ObjectDigest, of content: FeedContent, for requests: ViewRequests) -> Step {
        guard let revision = state.revision else { return .rest }
        let isFailed = isOrderMissing || state.sorting == nil && revision.version != content.version
        let isDamaged = revision.content.digest == object || revision.order?.digest == object
        // The list's own order needs no job: pages can be read until the other one is made.
        if isDamaged { state.revision = ViewRevision(plain: content) }
        guard state.revision != revision || revision.version != content.version else { return .rest }
        // The order that could not be made is made once more.
        if isFailed { state.failure = nil }
        return .sort(requests)
    }

    /// Another content comes, and the order that it asks for is to be made of it: pages are read by the old one until then.
    mutating func followContent(_ content: FeedContent) {
        if state.revision == nil { state.revision = ViewRevision(plain: content) }
        state.failure = nil
    }
}

// MARK: Details

extension ViewMachine {
    /// It waits for the detail that a job loads.
    mutating func awaitDetail(by job: JobID) { state.detail = .loading(job) }

    /// A detail has come. `isOld`: made from another content, since which the item may have changed.
    mutating func detailCame(_ detail: @autoclosure () -> Detail, by job: JournalEntry.FeedJob, isOld: Bool) -> Step {
        let isAwaited = awaitsDetail(by: job.job)
        guard isAwaited || isFollowed(by: job) else { return .ignore(.detailNotAwaited) }
        // There is one to show already: an old one must not take the place of that.
        guard !isOld || isAwaited else { return .loadDetail(isShown: false) }
        state.detail = detail()
        return isOld ? .loadDetail(isShown: false) : .rest
    }

    /// A detail could not be had. An item that is not there is selected no longer.
    mutating func detailFailed(_ job: JournalEntry.FeedJob, _ failure: Failure) -> Step {
        let isAwaited = awaitsDetail(by: job.job)
        guard isAwaited || isFollowed(by: job) else { return .ignore(.detailNotAwaited) }
        guard failure.code != .unknownItem else { return goBack(before: job, isAwaited ? failure : nil) }
        state.detail = .failed(failure)
        return .rest
    }

    /// The job of a detail is cancelled.
    mutating func detailCancelled(_ job: JournalEntry.FeedJob) -> Step {
        awaitsDetail(by: job.job) ? goBack(before: job, nil) : .ignore(.detailNotAwaited)
    }

    /// A job of its detail does not exist any more.
    mutating func detailLost(_ job: JobID) -> Step {
        guard awaitsDetail(by: job) else { return .ignore(.detailNotAwaited) }
        state.detail = .idle
        return .loadDetail(isShown: true)
    }

    /// An object turned out damaged: if it is the stored detail, that is had again.
    mutating func detailDamaged(_ object: ObjectDigest) -> Step {
        guard case .stored(let stored) = state.detail, stored.digest == object else { return .rest }
        state.detail = .idle
        return .loadDetail(isShown: true)
    }

    /// A selection that did not come into effect gives way to the one before it.
    private mutating func goBack(before job: JournalEntry.FeedJob, _ failure: Failure?) -> Step {
        // The client that selected gets that failure; nothing else shows why an order is missing.
        if let failure, !isOrderMissing { state.failure = failure }
        // What the client saw as selected is not: one that names that version gets a conflict.
        if state.selection != job.previousItemID { state.version += 1 }
        state.selection = job.previousItemID
        state.detail = .idle
        return .loadDetail(isShown: true)
    }
}

// MARK: Durable changes, made by entries alone

extension ViewMachine {
    /// The view that an entry makes.
    init(_ entry: JournalEntry.ViewChanged, _ turn: EntryTurn) {
        self.init(entry.view)
        selectedAfter = entry.selectedAfter
    }

    /// What it has become.
    mutating func apply(_ entry: JournalEntry.ViewChanged, _ turn: EntryTurn) { (state, selectedAfter) = (entry.view, entry.selectedAfter) }
}

// MARK: Use

extension ViewMachine {
    /// Whether a view other than `shared` is kept.
    enum Use: Hashable {
        /// Somebody is attached. Moves to kept when the last one leaves.
        case attached
        /// Somebody has used it, and it is kept so long. Moves to attached by an attachment, begins anew whenever somebody names it, and moves to
        /// workedFor or unused at that time.
        case kept(until: MonotonicTime)
        /// Nobody has used it for too long, but a job works for it. Moves to attached and kept when it is used, and to unused when the job ends.
        case workedFor
        /// Nobody has used it for too long: it is forgotten.
        case unused
    }

    /// How it is used.
    func use(at now: MonotonicTime, keptFor age: Duration) -> Use {
        guard attachmentCount == 0 else { return .attached }
        let until = (usedAt ?? now).advanced(by: age)
        guard now >= until else { return .kept(until: until) }
        return state.isWorkedFor ? .workedFor : .unused
    }

    /// One session more is attached to it.
    mutating func attach() { attachmentCount += 1 }

    /// One session less is.
    /// - Returns: whether one was.
    mutating func detach() -> Bool {
        guard attachmentCount > 0 else { return false }
        attachmentCount -= 1
        return true
    }

    /// Somebody names it, or is seen attached to it.
    mutating func noteUse(at time: MonotonicTime) { usedAt = time }
}

extension Detail {
    /// The job that loads it; nil: none does.
    fileprivate var job: JobID? { if case .loading(let job) = self { job } else { nil } }
}

extension ViewState {
    /// Puts back what was in effect before these requests.
    fileprivate mutating func takeBack(_ requests: ViewRequests) {
        if requests.contains(.sort) { sort = revision?.sort }
        if requests.contains(.filter) { filter = revision?.filter ?? "" }
    }
}
