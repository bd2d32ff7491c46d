//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// An object cannot be read: what can be loaded again goes, what is the user's own goes back to its newest older version.
    ///
    /// Whether that version is whole is known when it is read: if it is not, that is the next event of this kind.
    mutating func objectDamaged(_ digest: ObjectDigest, into actions: inout [FrontAction]) {
        for key in state.feedOrder {
            if let content = state.feeds[key]?.state.content, content.object.digest == digest {
                if content.isKept { goBack(key, from: content, into: &actions) } else { drop(content, of: key, into: &actions) }
            }
            for name in state.feeds[key]?.viewNames ?? [] { replacePair(key, name, damaged: digest, into: &actions) }
        }
    }

    /// A cached content goes; it is loaded again now if somebody is attached, else when somebody is.
    private mutating func drop(_ content: FeedContent, of key: FeedKey, into actions: inout [FrontAction]) {
        guard var feed = state.feeds[key]?.state else { return }
        let text = "version \(content.version) of \(key) was damaged in the cache and is gone: it is loaded again when attached"
        feed.content = nil
        feed.failure = damage(content, text, retryable: true, into: &actions)
        set(feed, into: &actions)
        for name in state.feeds[key]?.viewNames ?? [] {
            guard var view = state.feeds[key]?.views[name] else { continue }
            if let job = view.arranging { _ = cancel(job, by: "front", into: &actions) }
            view = state.feeds[key]?.views[name] ?? view
            view.arranging = nil
            view.pair = nil
            set(view, of: key, into: &actions)
        }
        if state.feeds[key].map({ $0.attachmentCount > 0 }) ?? false { _ = load(key, cause: .damaged, .none, into: &actions) }
    }

    /// The user's own list becomes what it was before its last change, and says so.
    private mutating func goBack(_ key: FeedKey, from content: FeedContent, into actions: inout [FrontAction]) {
        guard let record = state.feeds[key] else { return }
        var feed = record.state
        if var older = record.older.last(where: { $0.object != content.object }) {
            let text =
                "version \(content.version) of \(key) is damaged on disk: back at version \(older.version) of "
                + "\(older.storedAt.rfc3339); what was changed since then is lost"
            older.version = ContentVersion(record.nextVersion)
            feed.content = older
            feed.failure = damage(content, text, retryable: false, into: &actions)
        } else {
            let text = "version \(content.version) of \(key) is damaged on disk and there is no older one: the list begins anew"
            feed.content = nil
            feed.failure = damage(content, text, retryable: false, into: &actions)
        }
        set(feed, into: &actions)
    }

    /// A view that is read by a damaged list or order gets another pair.
    private mutating func replacePair(_ key: FeedKey, _ name: String, damaged digest: ObjectDigest, into actions: inout [FrontAction]) {
        guard var view = state.feeds[key]?.views[name], let pair = view.pair else { return }
        let isContentGone = pair.content.digest == digest
        guard isContentGone || pair.order?.digest == digest else { return }
        guard let content = state.feeds[key]?.state.content else {
            view.pair = nil
            return set(view, of: key, into: &actions)
        }
        view.pair = ViewPair(content: content.object, order: nil, version: content.version, sort: nil, filter: "")
        set(view, of: key, into: &actions)
        _ = arrange(key, name, .none, into: &actions)
    }

    private mutating func damage(
        _ content: FeedContent, _ text: String, retryable: Bool, into actions: inout [FrontAction]
    ) -> Failure {
        let id = FailureID(takeJobs(1, into: &actions).rawValue)
        return Failure(id: id, damaged: content.object.digest, text: text, retryable: retryable)
    }
}
