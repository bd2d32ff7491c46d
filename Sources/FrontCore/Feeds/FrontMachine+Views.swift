//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Makes sure that a view exists; otherwise why not.
    mutating func makeView(_ key: FeedKey, _ name: String, into actions: inout [FrontAction]) -> Reply? {
        noteUse(of: name, of: key, into: &actions)
        guard let feed = feed(key, into: &actions) else { return tooManyFeeds }
        guard feed.views[name] == nil else { return nil }
        guard feed.views.count < settings.bounds.viewsPerFeed else {
            return refusal(.busy, "feed \(key) has \(settings.bounds.viewsPerFeed) views (limit): use one of them")
        }
        guard state.viewCount < settings.bounds.views else {
            return refusal(.busy, "\(settings.bounds.views) views are in use (limit): use one of feed \(key)", retryAfter: 1_000)
        }
        var view = ViewState(name: name)
        view.sort = feed.views["shared"]?.sort
        if let content = feed.state.content { view.pair = feed.views["shared"]?.pair ?? plainPair(content) }
        set(view, of: key, into: &actions)
        return nil
    }

    private func plainPair(_ content: FeedContent) -> ViewPair {
        ViewPair(content: content.object, order: nil, version: content.version, sort: nil, filter: "")
    }

    /// Records a view's new state and says so to observers.
    mutating func set(_ view: ViewState, of key: FeedKey, into actions: inout [FrontAction]) {
        if state.feeds[key]?.views[view.name] == view { return }
        record(.viewChanged(key, view), into: &actions)
        actions.append(.changed(.view(key, view.name), key: "view"))
    }

    /// Orders a view by another field.
    mutating func sort(_ key: FeedKey, _ name: String, _ order: SortOrder?, _ session: SessionID, into actions: inout [FrontAction])
        -> Reply
    {
        if let order {
            let known = ["id", "title", "createdAt", "dueAt"] + (definitions[key.name]?.fields ?? [])
            guard known.contains(order.field) else {
                return refusal(.unknownField, "feed \(key) has no field \"\(order.field)\"; it has: \(known.joined(separator: ", "))")
            }
        }
        guard var view = state.feeds[key]?.views[name] else { return refusal(.unknownItem, "feed \(key) has no view \(name)") }
        view.sort = order
        view.version += 1
        set(view, of: key, into: &actions)
        return arrange(key, name, session, into: &actions)
    }

    /// Filters a view by another text.
    mutating func filter(_ key: FeedKey, _ name: String, _ text: String, _ session: SessionID, into actions: inout [FrontAction]) -> Reply {
        guard text.utf8.count <= 256 else { return refusal(.tooLarge, "a filter is at most 256 bytes") }
        guard var view = state.feeds[key]?.views[name] else { return refusal(.unknownItem, "feed \(key) has no view \(name)") }
        view.filter = text
        view.version += 1
        set(view, of: key, into: &actions)
        return arrange(key, name, session, into: &actions)
    }

    /// Has the order made that a view asks for; pages keep the old pair until it is ready.
    mutating func arrange(_ key: FeedKey, _ name: String, _ session: SessionID, into actions: inout [FrontAction]) -> Reply {
        guard let feed = state.feeds[key], var view = feed.views[name] else {
            return refusal(.unknownItem, "feed \(key) has no view \(name)")
        }
        if let old = view.arranging { _ = cancel(old, by: label(session), into: &actions) }
        guard feed.state.content != nil else {
            view.arranging = nil
            set(view, of: key, into: &actions)
            return .done(version: view.version)
        }
        let job = acceptViewJob(.arrange, key, name, itemID: nil, session, into: &actions)
        view = state.feeds[key]?.views[name] ?? view
        view.arranging = job
        view.failure = nil
        set(view, of: key, into: &actions)
        return .accepted(job, joined: false)
    }

    /// Selects an item and loads its detail; the newest selection wins.
    mutating func select(_ key: FeedKey, _ name: String, _ itemID: String?, _ session: SessionID, into actions: inout [FrontAction])
        -> Reply
    {
        guard let feed = state.feeds[key], var view = feed.views[name] else {
            return refusal(.unknownItem, "feed \(key) has no view \(name)")
        }
        if case .loading(let old) = view.detail { _ = cancel(old, by: label(session), into: &actions) }
        view = state.feeds[key]?.views[name] ?? view
        view.version += 1
        view.failure = nil
        guard let itemID else {
            view.selection = nil
            view.detail = .idle
            set(view, of: key, into: &actions)
            return .done(version: view.version)
        }
        guard itemID.utf8.count <= settings.bounds.itemIDByteCount else {
            return refusal(.tooLarge, "the item's id is over \(settings.bounds.itemIDByteCount) bytes (limit)")
        }
        guard feed.state.content != nil else {
            return refusal(.unknownItem, "feed \(key) has no content yet: load it first")
        }
        let job = acceptViewJob(.detail, key, name, itemID: itemID, session, into: &actions)
        view.selection = itemID
        view.detail = .loading(job)
        set(view, of: key, into: &actions)
        return .accepted(job, joined: false)
    }

    private mutating func acceptViewJob(
        _ operation: FeedOperation, _ key: FeedKey, _ view: String, itemID: String?, _ session: SessionID, into actions: inout [FrontAction]
    ) -> JobID {
        let definition = definitions[key.name]
        let fetches = operation == .detail && definition?.hasDetailAddress == true
        let loader = fetches ? definition?.sourceLoader ?? "list" : "list"
        var job = Fact.FeedJob(job: takeJobs(1, into: &actions), key: key, operation: operation, loader: loader, acceptedAt: now.wall)
        job.view = view
        job.itemID = itemID
        job.session = session
        job.priority = 7
        job.rank = rank(priority: job.priority)
        record(.feedJobAccepted(job), into: &actions)
        return job.job
    }

    /// Cancels the jobs that work for a view.
    mutating func cancelJobs(of view: ViewState, by label: String, into actions: inout [FrontAction]) {
        if let job = view.arranging { _ = cancel(job, by: label, into: &actions) }
        if case .loading(let job) = view.detail { _ = cancel(job, by: label, into: &actions) }
    }
}
