//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

extension FeedMachine {
    /// An object was read completely several times and does not match its name, or is missing: the feeds and views that name it drop it. An
    /// object that no feed names costs only a look-up.
    ///
    /// The content of a feed that is not editable can be loaded again. A kept one is the user's own: the newest older version takes its place.
    /// Whether that version is whole is known when it is read: if it is not, that is the next event of this kind.
    mutating func objectDamaged(_ digest: ObjectDigest, queue: inout JobQueue, in turn: inout FrontTurn) {
        turn.step()
        guard turn.state.feeds.names(digest) else { return turn.context.noteIgnored(.objectNotNamed) }
        // Found once more while feeds let go of it: one that did may have got it again.
        guard turn.state.left.hasRoom(for: digest) else { return turn.context.noteIgnored(.tooManyDamaged) }
        goOn(JournalEntry.WorkLeft(.damage(digest), since: turn.now.wall, at: nil), with: digest, queue: &queue, in: &turn)
    }

    /// Lets feeds go of an object, as many as this turn may look at; an entry says where the next one goes on.
    mutating func goOn(_ found: JournalEntry.WorkLeft, with object: ObjectDigest, queue: inout JobQueue, in turn: inout FrontTurn) {
        var first: FeedKey?
        if case .feed(let key)? = found.cursor { first = key }
        var next = turn.state.feeds.objectNames.firstFeed(naming: object, from: first)
        while let key = next {
            guard damageLooks < turn.settings.bounds.damageLooks else {
                return turn.leave(found.work, since: found.since, at: .feed(key))
            }
            let looks = 1 + (turn.state.feeds[key]?.viewNames.count ?? 0)
            // Over all objects of a turn, since many may turn out damaged at once, as where a disk fails.
            damageLooks += looks
            turn.step(looks)
            letGo(found, object, key, queue: &queue, in: &turn)
            next = turn.state.feeds.objectNames.firstFeed(naming: object, after: key)
        }
        turn.finish(found.work)
    }

    private mutating func letGo(
        _ found: JournalEntry.WorkLeft, _ object: ObjectDigest, _ key: FeedKey, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        var isMissed = false
        if let content = turn.state.feeds[key]?.state.content, content.object.digest == object {
            // Somebody has stored it again since: it is whole.
            if found.cursor != nil, content.storedAt > found.since { return turn.context.noteIgnored(.storedSince) }
            isMissed = !content.isPersistent
            if content.isPersistent {
                goBack(key, from: content, queue: &queue, in: &turn)
            } else {
                drop(content, of: key, queue: &queue, in: &turn)
            }
        }
        // Behind the feed, from whose content their plain pages are made.
        for name in turn.state.feeds[key]?.viewNames ?? [] { lose(name, of: key, damaged: object, queue: &queue, in: &turn) }
        if isMissed, turn.state.feeds[key].map({ $0.attachmentCount > 0 }) ?? false {
            _ = load(key, cause: .damaged, .none, queue: &queue, in: &turn)
        }
    }

    /// A view loses what it had of a damaged object, after its feed.
    private mutating func lose(
        _ name: String, of key: FeedKey, damaged object: ObjectDigest, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        guard var view = turn.state.feeds.view(name, of: key) else { return }
        if let content = turn.state.feeds[key]?.state.content {
            let requests = requestsUnderWay(view.state, in: turn)
            carryOut(view.objectDamaged(object, of: content, for: requests), view, of: key, .none, queue: &queue, in: &turn)
        } else {
            let replaced = view.contentLost()
            set(view.state, of: key, in: &turn)
            // Cancelled once the view waits for it no longer: what was asked for stays for the content that comes next.
            if let replaced { _ = queue.cancel(replaced, by: .front, in: &turn) }
        }
        guard var view = turn.state.feeds.view(name, of: key) else { return }
        carryOut(view.detailDamaged(object), view, of: key, .none, queue: &queue, in: &turn)
    }

    /// A cached content goes; it is loaded again now if somebody is attached, else when somebody is.
    private mutating func drop(_ content: FeedContent, of key: FeedKey, queue: inout JobQueue, in turn: inout FrontTurn) {
        guard var feed = turn.state.feeds[key]?.state else { return }
        let text = "version \(content.version) of \(key) was damaged in the cache and is dropped: it is loaded again when attached"
        feed.content = nil
        let found = DamagedVersion(content.object.digest, foundAt: turn.now.wall)
        feed.failure = failure(found, text, retryable: true, queue: &queue, in: &turn)
        set(feed, damaged: found, in: &turn)
    }

    /// The user's own list becomes what it was before its last change, and says so.
    private mutating func goBack(_ key: FeedKey, from content: FeedContent, queue: inout JobQueue, in turn: inout FrontTurn) {
        guard let record = turn.state.feeds[key] else { return }
        var feed = record.state
        let found = DamagedVersion(content.object.digest, foundAt: turn.now.wall)
        var text = "version \(content.version) of \(key) is damaged or missing on disk"
        if var older = record.older.last(where: { $0.object != content.object }) {
            text += ": back at version \(older.version) of \(older.storedAt.rfc3339); what is left of its file is kept for a day"
            // Under a new number: clients that saw the damaged one see that the content is another.
            older.version = ContentVersion(record.nextVersion)
            feed.content = older
        } else {
            text += ", and there is no older one: the list begins anew"
            feed.content = nil
        }
        feed.failure = failure(found, text, retryable: false, queue: &queue, in: &turn)
        set(feed, damaged: found, in: &turn)
        watchDamage(of: key, in: &turn)
        reloadDetails(of: key, changed: nil, queue: &queue, in: &turn)
    }

    private mutating func failure(
        _ found: DamagedVersion, _ text: String, retryable: Bool, queue: inout JobQueue, in turn: inout FrontTurn
    ) -> Failure {
        Failure(id: FailureID(queue.takeJobs(1, in: &turn).rawValue), found, text: text, retryable: retryable)
    }
}

// MARK: Damaged versions that are kept

extension FeedMachine {
    /// The damaged versions of a feed are looked at when the first of them is kept no more.
    func watchDamage(of key: FeedKey, in turn: inout FrontTurn) {
        guard let feed = turn.state.feeds[key], feed.state.isEditable else { return }
        if let first = feed.damaged.map(\.until).min() { turn.check(.damaged(key), at: first) }
    }

    /// A damaged version may have been kept for a day, or somebody has set the clock.
    func forgetDamage(of key: FeedKey, in turn: inout FrontTurn) {
        guard let feed = turn.state.feeds[key] else { return turn.context.noteIgnored(.feedForgotten) }
        guard feed.state.isEditable else { return }
        let spared = feed.sparedVersions(at: turn.now.wall)
        if spared.count < feed.damaged.count {
            var changed = JournalEntry.FeedChanged(feed.state, isAskedFor: feed.isAskedFor)
            (changed.older, changed.damaged) = (feed.older, spared)
            turn.record(.feedChanged(changed))
        }
        watchDamage(of: key, in: &turn)
    }
}
