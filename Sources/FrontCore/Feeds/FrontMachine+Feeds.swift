//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// The key with the declared parameters filled in, or why it names no feed.
    func resolve(_ key: FeedKey) -> Result<FeedKey, RefusedRequest> {
        guard let definition = definitions[key.name], key.namespace.isEmpty else {
            let known = definitions.keys.sorted().joined(separator: ", ")
            return .failure(
                RefusedRequest(
                    .unknownFeed, "no feed \"\(key.name)\" is configured; there are: \(known)",
                    arguments: RefusedRequest.arguments(setting: "feeds", of: key)))
        }
        for parameter in key.parameters where !definition.parameters.contains(where: { $0.name == parameter.name }) {
            let known = definition.parameters.map(\.name).joined(separator: ", ")
            let text = "feed \(key.name) has no parameter \"\(parameter.name)\"; it has: \(known.isEmpty ? "none" : known)"
            return .failure(RefusedRequest(.invalidData, text))
        }
        // They travel with each grant, and a grant that its worker cannot read would run nowhere.
        guard definition.settings.count <= turn.settings.bounds.payloadByteCount else {
            let text =
                "the settings of feed \(key.name) take \(definition.settings.count) bytes (limit \(turn.settings.bounds.payloadByteCount))"
            return .failure(
                RefusedRequest(
                    .tooLarge, text + ": make its part of gantry.yaml smaller",
                    arguments: RefusedRequest.arguments(setting: "feed", of: key)))
        }
        var parameters: [FeedKey.Parameter] = []
        for declared in definition.parameters {
            // What is required cannot be nothing: an empty text is no value of it.
            let isMissing: (String) -> Bool = { declared.isRequired && $0.isEmpty }
            if let value = key.value(of: declared.name) ?? declared.defaultValue, !isMissing(value) {
                parameters.append(FeedKey.Parameter(name: declared.name, value: value))
            } else if declared.isRequired {
                let text = "feed \(key.name) needs --param \(declared.name)=VALUE"
                return .failure(RefusedRequest(.invalidData, text))
            }
        }
        guard let resolved = FeedKey(name: key.name, parameters: parameters) else {
            return .failure(RefusedRequest(.tooLarge, "the parameters of \(key.name) are over \(FeedKey.byteCountLimit) bytes (limit)"))
        }
        return .success(resolved)
    }

    /// Makes sure that a feed is there; nil if there are too many busy ones.
    mutating func feed(_ key: FeedKey) -> FeedRecord? {
        if let feed = state.feeds[key] {
            state.feeds.noteUse(of: key, in: turn)
            return feed
        }
        if state.feeds.count >= turn.settings.bounds.feeds, !forgetLongestIdle() { return nil }
        let isEditable = definitions[key.name]?.isEditable ?? false
        record(.feedChanged(Fact.FeedChanged(FeedState(key: key, isEditable: isEditable), isAskedFor: false)))
        var shared = ViewState(name: "shared")
        shared.sort = definitions[key.name]?.defaultSort
        record(.viewChanged(Fact.ViewChanged(key, shared)))
        state.feeds.noteUse(of: key, in: turn)
        turn.emit(.changed(.feed(key), key: "feed"))
        turn.emit(.changed(.view(key, "shared"), key: "view"))
        return state.feeds[key]
    }

    /// The refusal when there are too many busy feeds.
    mutating func tooManyFeeds() -> Reply {
        turn.busy(.feeds, "\(turn.settings.bounds.feeds) feeds are in use (limit): detach from some first", retryAfter: RetryPause.usual)
    }

    /// Loads a feed, or joins the load that is under way.
    mutating func load(_ key: FeedKey, cause: LoadCause, _ session: SessionID) -> Reply {
        guard let feed = feed(key) else { return tooManyFeeds() }
        let isAskedFor = feed.isAskedFor || cause != .appeared
        if let job = runningLoad(of: key) {
            if isAskedFor != feed.isAskedFor { set(feed.state, isAskedFor: isAskedFor) }
            return .accepted(job, joined: true)
        }
        guard let loader = definitions[key.name]?.sourceLoader else {
            set(feed.state, isAskedFor: isAskedFor)
            return .done(version: feed.state.content?.version.rawValue ?? 0)
        }
        var job = Fact.FeedJob(job: takeJobs(1), key: key, operation: .load, loader: loader, acceptedAt: turn.now.wall)
        job.cause = cause
        job.session = session
        job.rank = rank(of: job.options)
        record(.feedJobAccepted(job))
        var changed = state.feeds[key]?.state ?? feed.state
        changed.activity = .waiting(job.job, waitReason(job.job.rawValue) ?? .slotsTaken)
        set(changed, isAskedFor: isAskedFor)
        return .accepted(job.job, joined: false)
    }

    /// The load, or the merge that follows it, that newcomers join.
    func runningLoad(of key: FeedKey) -> JobID? {
        let lines = state.jobs.keyLines
        func goesOn(_ job: JobID) -> Bool { state.jobs.contains(job.rawValue) && state.jobs[job.rawValue].state != .cancelling }
        return lines.backwards(.load, of: key).first(where: goesOn)
            ?? lines.backwards(.edit, of: key).first { lines[$0.rawValue]?.job.operation == .merge && goesOn($0) }
    }

    /// Records a feed's new state and says so to observers.
    mutating func set(_ feed: FeedState, isAskedFor: Bool? = nil) {
        let asked = isAskedFor ?? state.feeds[feed.key]?.isAskedFor ?? false
        if let old = state.feeds[feed.key], old.state == feed, old.isAskedFor == asked { return }
        record(.feedChanged(Fact.FeedChanged(feed, isAskedFor: asked)))
        turn.emit(.changed(.feed(feed.key), key: "feed"))
        noteWait(of: feed)
    }

    /// Cancels what runs and forgets content, failure and selections.
    mutating func reset(_ key: FeedKey, _ version: ContentVersion?, _ session: SessionID) -> Reply {
        guard let feed = feed(key) else { return tooManyFeeds() }
        let current = feed.state.content?.version ?? .none
        if let version, version != current {
            let text = "feed \(key.text.cut(to: Reply.echoByteCount)) is at version \(current), not \(version): look again and repeat"
            return .conflict(text, key, version: current.rawValue)
        }
        // From the end: none begins because the one before it goes.
        let lines = [KeyLines.Line.edit, .load].flatMap { Array(state.jobs.keyLines.backwards($0, of: key)) }
        for job in lines {
            turn.step()
            _ = cancel(job, by: state.sessions.label(session))
        }
        var changed = FeedState(key: key, isEditable: feed.state.isEditable)
        changed.activity = .idle
        set(changed, isAskedFor: false)
        for name in feed.viewNames {
            guard let old = state.feeds[key]?.views[name] else { continue }
            var view = old
            view.version += 1
            view.selection = nil
            view.detail = .idle
            view.pair = nil
            view.arranging = nil
            view.failure = nil
            set(view, of: key)
            // Cancelled once the view waits for them no longer: what they were asked for stays for the next content.
            if let job = old.arranging { _ = cancel(job, by: state.sessions.label(session)) }
            if case .loading(let job) = old.detail { _ = cancel(job, by: state.sessions.label(session)) }
        }
        return .done(version: feed.nextVersion - 1)
    }

    /// Accepts a create or an update of an editable feed.
    ///
    /// - Parameter failed: the failed save that it repeats; none: it is new.
    mutating func save(
        _ key: FeedKey, _ operation: FeedOperation, itemID: String?, _ item: [UInt8], repeats failed: JobID = .none, _ session: SessionID
    ) -> Reply {
        guard let feed = feed(key) else { return tooManyFeeds() }
        guard feed.state.isEditable else {
            return .refusal(
                .invalidData, "feed \(key) is not editable: declare \"editable: true\" for it in gantry.yaml",
                arguments: RefusedRequest.arguments(setting: "editable", of: key))
        }
        guard (itemID?.utf8.count ?? 0) <= turn.settings.bounds.itemIDByteCount else {
            return .refusal(.tooLarge, "the item's id is over \(turn.settings.bounds.itemIDByteCount) bytes (limit)")
        }
        guard item.count <= turn.settings.bounds.payloadByteCount else {
            return .refusal(.tooLarge, "the item is over \(turn.settings.bounds.payloadByteCount) bytes (limit)")
        }
        var job = Fact.FeedJob(job: takeJobs(1), key: key, operation: operation, loader: "list", acceptedAt: turn.now.wall)
        job.itemID = itemID
        job.item = item
        job.repeats = failed
        if failed != .none { job.cause = .retry }
        job.session = session
        job.rank = rank(of: job.options)
        record(.feedJobAccepted(job))
        return .accepted(job.job, joined: false)
    }

    /// Wishes that a feed be loaded and kept; the first one loads it if it is declared so.
    mutating func attach(_ key: FeedKey, _ view: String, _ session: SessionID) -> Reply {
        let isNew = state.sessions.attach(session, to: ClientSession.AttachedView(key: key, view: view), in: &turn)
        state.feeds.attach(key, view, isNew: isNew)
        guard let feed = state.feeds[key] else { return .done(version: 0) }
        if feed.state.content == nil, feed.state.activity == .idle, feed.state.failure?.damagedVersion != nil {
            return load(key, cause: .damaged, session)
        }
        guard definitions[key.name]?.loadOnAppear == true else { return .done(version: 0) }
        if feed.attachmentCount == 1, feed.state.content == nil, feed.state.activity == .idle {
            return load(key, cause: .appeared, session)
        }
        return .done(version: feed.state.content?.version.rawValue ?? 0)
    }

    /// Ends a session's wish.
    mutating func detach(_ key: FeedKey, _ view: String, _ session: SessionID) -> Reply {
        if state.sessions.detach(session, from: ClientSession.AttachedView(key: key, view: view)) {
            state.feeds.leave(key, view, in: &turn)
        }
        return .done(version: state.feeds[key]?.state.content?.version.rawValue ?? 0)
    }
}
