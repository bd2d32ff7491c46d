//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Fact.FeedChanged: JournalEntry {
    static let survivesMemoryMode = true

    var roughByteCount: Int { RoughSize.wide + state.key.text.utf8.count + (state.failure?.roughByteCount ?? 0) }

    func apply(to state: inout FrontState, turn: EntryTurn) {
        let feed = self.state
        var record = state.feeds[feed.key] ?? FeedRecord(state: feed)
        guard record.storedTurn < turn.number else { return }
        if state.feeds[feed.key] == nil { state.feedOrder.append(feed.key) }
        // Of a feed that comes with its content, as from a checkpoint, nothing is named yet.
        let named = state.feeds[feed.key]?.contentNames ?? []
        record.keepOlder(before: feed)
        record.state = feed
        state.objectNames.replace(named, by: record.contentNames, of: feed.key)
        record.isAskedFor = isAskedFor
        record.nextVersion = max(record.nextVersion, nextVersion.rawValue)
        if let version = feed.content?.version.rawValue { record.nextVersion = max(record.nextVersion, version + 1) }
        // A failure that no job had has a number of its own.
        if let failure = feed.failure?.id.rawValue { state.jobs.number { $0.notePassed(job: failure) } }
        if let stored = turn.stored { record.storedTurn = stored }
        state.feeds[feed.key] = record
    }
}

extension Fact.FeedForgotten: JournalEntry {
    static let survivesMemoryMode = true

    func apply(to state: inout FrontState, turn: EntryTurn) {
        guard let record = state.feeds[key], record.storedTurn < turn.number else { return }
        state.objectNames.replace(record.contentNames + record.views.values.flatMap(\.objectNames), by: [], of: key)
        state.viewCount -= record.views.count
        for name in record.viewNames { state.detailByteCount -= record.views[name]?.detail.byteCount ?? 0 }
        state.feeds[key] = nil
        state.feedOrder.remove(key)
    }
}

extension Fact.ViewChanged: JournalEntry {
    static let survivesMemoryMode = true

    var roughByteCount: Int { RoughSize.wide + key.text.utf8.count + view.byteCount }

    func apply(to state: inout FrontState, turn: EntryTurn) {
        guard state.feeds[key].map({ $0.storedTurn < turn.number }) ?? false else { return }
        state.objectNames.replace(state.feeds[key]?.views[view.name]?.objectNames ?? [], by: view.objectNames, of: key)
        state.feeds[key]?.selectedAfter[view.name] = selectedAfter == .none ? nil : selectedAfter
        state.detailByteCount += view.detail.byteCount
        if let old = state.feeds[key]?.views.updateValue(view, forKey: view.name) {
            state.detailByteCount -= old.detail.byteCount
        } else {
            state.feeds[key]?.viewNames.append(view.name)
            state.viewCount += 1
        }
    }
}

extension Fact.ViewForgotten: JournalEntry {
    static let survivesMemoryMode = true

    func apply(to state: inout FrontState, turn: EntryTurn) {
        guard state.feeds[key].map({ $0.storedTurn < turn.number }) ?? false else { return }
        guard let old = state.feeds[key]?.views.removeValue(forKey: view) else { return }
        state.objectNames.replace(old.objectNames, by: [], of: key)
        state.feeds[key]?.selectedAfter[view] = nil
        state.feeds[key]?.viewNames.removeAll { $0 == view }
        state.detailByteCount -= old.detail.byteCount
        state.viewCount -= 1
    }
}

extension ViewState {
    /// Bytes of its texts and of what it holds of its detail.
    fileprivate var byteCount: Int {
        detail.byteCount + (failure?.roughByteCount ?? 0) + filter.utf8.count + (selection?.utf8.count ?? 0) + (sort?.field.utf8.count ?? 0)
    }
}
