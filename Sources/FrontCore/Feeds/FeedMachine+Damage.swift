//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FeedMachine {
    /// An object was read again and again, whole, and is not what its name says, or is gone: what names it lets go of it. An object that no
    /// feed names costs a look-up, whoever made it up.
    ///
    /// The content of a feed that is not editable can be loaded again. A kept one is the user's own: the newest older version takes its place.
    /// Whether that version is whole is known when it is read: if it is not, that is the next event of this kind.
    mutating func objectDamaged(_ digest: ObjectDigest, queue: inout JobQueue, in turn: inout FrontTurn) {
        for key in turn.state.feeds.objectNames.feeds(naming: digest) {
            if let content = turn.state.feeds[key]?.state.content, content.object.digest == digest {
                if content.isKept {
                    goBack(key, from: content, queue: &queue, in: &turn)
                } else {
                    drop(content, of: key, queue: &queue, in: &turn)
                }
            }
            for name in turn.state.feeds[key]?.viewNames ?? [] {
                replacePair(key, name, damaged: digest, queue: &queue, in: &turn)
                replaceDetail(key, name, damaged: digest, queue: &queue, in: &turn)
            }
        }
    }

    /// A cached content goes; it is loaded again now if somebody is attached, else when somebody is.
    private mutating func drop(_ content: FeedContent, of key: FeedKey, queue: inout JobQueue, in turn: inout FrontTurn) {
        guard var feed = turn.state.feeds[key]?.state else { return }
        let text = "version \(content.version) of \(key) was damaged in the cache and is gone: it is loaded again when attached"
        feed.content = nil
        feed.failure = damage(content, text, retryable: true, queue: &queue, in: &turn)
        set(feed, in: &turn)
        for name in turn.state.feeds[key]?.viewNames ?? [] {
            guard let old = turn.state.feeds[key]?.views[name] else { continue }
            var view = old
            view.arranging = nil
            view.pair = nil
            set(view, of: key, in: &turn)
            // The order is made of the content that comes next: what was asked for stays.
            if let job = old.arranging { _ = queue.cancel(job, by: "front", in: &turn) }
        }
        if turn.state.feeds[key].map({ $0.attachmentCount > 0 }) ?? false {
            _ = load(key, cause: .damaged, .none, queue: &queue, in: &turn)
        }
    }

    /// The user's own list becomes what it was before its last change, and says so.
    private mutating func goBack(_ key: FeedKey, from content: FeedContent, queue: inout JobQueue, in turn: inout FrontTurn) {
        guard let record = turn.state.feeds[key] else { return }
        var feed = record.state
        if var older = record.older.last(where: { $0.object != content.object }) {
            let text =
                "version \(content.version) of \(key) is damaged on disk or gone: back at version \(older.version) of "
                + "\(older.storedAt.rfc3339); what is left of its file is kept for a day"
            older.version = ContentVersion(record.nextVersion)
            feed.content = older
            feed.failure = damage(content, text, retryable: false, queue: &queue, in: &turn)
        } else {
            let text = "version \(content.version) of \(key) is damaged on disk or gone, and there is no older one: the list begins anew"
            feed.content = nil
            feed.failure = damage(content, text, retryable: false, queue: &queue, in: &turn)
        }
        set(feed, in: &turn)
        reloadDetails(of: key, changed: nil, queue: &queue, in: &turn)
    }

    /// A view that is read by a damaged list or order gets another pair; where the content has changed, so does every view of it.
    private mutating func replacePair(
        _ key: FeedKey, _ name: String, damaged digest: ObjectDigest, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        guard var view = turn.state.feeds[key]?.views[name], let pair = view.pair else { return }
        guard let content = turn.state.feeds[key]?.state.content else {
            guard pair.content.digest == digest || pair.order?.digest == digest else { return }
            view.pair = nil
            view.arranging = nil
            return set(view, of: key, in: &turn)
        }
        if pair.content.digest == digest || pair.order?.digest == digest { view.pair = ViewPair(plain: content) }
        guard view.pair != pair || pair.version != content.version else { return }
        _ = arrange(view, of: key, for: view.pendingRequests, .none, queue: &queue, in: &turn)
    }

    /// A selected item whose stored detail is damaged gets it again.
    private mutating func replaceDetail(
        _ key: FeedKey, _ name: String, damaged digest: ObjectDigest, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        guard var view = turn.state.feeds[key]?.views[name], case .stored(let object) = view.detail, object.digest == digest else { return }
        view.detail = .idle
        set(view, of: key, in: &turn)
        guard turn.state.feeds[key]?.state.content != nil else { return }
        loadDetail(view, of: key, isShown: true, queue: &queue, in: &turn)
    }

    private mutating func damage(
        _ content: FeedContent, _ text: String, retryable: Bool, queue: inout JobQueue, in turn: inout FrontTurn
    ) -> Failure {
        let id = FailureID(queue.takeJobs(1, in: &turn).rawValue)
        return Failure(id: id, damaged: content.object.digest, at: turn.now.wall, text: text, retryable: retryable)
    }
}
