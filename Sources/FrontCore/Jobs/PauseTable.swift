//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Which loaders, groups and workers are paused, by whom and until when. Entries alone change it; the scheduler is notified of whom that
/// concerns.
struct PauseTable {
    private var pauses: [PauseTarget: JournalEntry.LastingPause] = [:]
    /// By a loader the paused groups that it is in, in order; by a feed likewise.
    private var (groupsOfLoaders, groupsOfFeeds): ([String: [String]], [String: [String]]) = ([:], [:])

    /// How many pauses there are.
    var count: Int { pauses.count }

    /// The targets of all, in order.
    var targets: [PauseTarget] { pauses.keys.sorted { $0.key < $1.key } }

    /// The pause of exactly that target; nil: it has none.
    subscript(target: PauseTarget) -> JournalEntry.LastingPause? { pauses[target] }

    /// What keeps a job waiting: the pause of all loaders, that of its loader, or that of a group; nil: none of them.
    /// - Parameter feed: The feed whose source it asks; empty: it asks none.
    func target(holding loader: @autoclosure () -> String, feed: @autoclosure () -> String = "") -> PauseTarget? {
        guard !pauses.isEmpty else { return nil }
        let loader = loader()
        // In the order in which the end of one lets a job go on: while all are paused, to end another helps nothing.
        if let own = [.everything, .loader(loader)].first(where: { pauses[$0] != nil }) { return own }
        guard !groupsOfLoaders.isEmpty || !groupsOfFeeds.isEmpty else { return nil }
        return [groupsOfLoaders[loader]?.first, groupsOfFeeds[feed()]?.first].compactMap { $0 }.min().map { .group($0) }
    }

    /// Whether workers of a name get no jobs.
    func holds(worker name: String) -> Bool { !pauses.isEmpty && pauses[.worker(name)] != nil }

    /// Whether no job of a loader is granted, by its own pause or that of a group.
    func holds(loader name: String) -> Bool { pauses[.loader(name)] != nil || groupsOfLoaders[name] != nil }

    /// Whether no job is granted that asks the source of a feed.
    func holds(feed name: String) -> Bool { groupsOfFeeds[name] != nil }

    /// When the first pause ends by itself, by the clock of lengths; nil: none does. Asked for each job that gets a time, and looked for where a pause
    /// changes.
    private(set) var nextEnd: LengthTime?

    /// Those whose time is over when that clock shows `time`, in order.
    func ended(by time: LengthTime) -> [PauseTarget] { targets.filter { pauses[$0]?.endsAt.map { $0 <= time } ?? false } }

    /// The entries that make them.
    var entries: [JournalEntry] { targets.map { .pauseChanged(JournalEntry.PauseChanged($0, pauses[$0])) } }

    /// A target is paused, be it anew, or no longer.
    /// - Returns: its pause before; nil: it had none.
    mutating func apply(_ change: JournalEntry.PauseChanged) -> JournalEntry.LastingPause? {
        let old = pauses[change.target]
        pauses[change.target] = change.pause
        nextEnd = pauses.values.compactMap(\.endsAt).min()
        guard case .group(let name) = change.target else { return old }
        let (before, after) = (old?.members ?? GroupMembers(), change.pause?.members ?? GroupMembers())
        Self.move(name, from: before.loaders, to: after.loaders, in: &groupsOfLoaders)
        Self.move(name, from: before.feeds, to: after.feeds, in: &groupsOfFeeds)
        return old
    }

    /// A paused group has other members.
    private static func move(_ group: String, from old: Set<String>, to new: Set<String>, in groups: inout [String: [String]]) {
        for name in old.subtracting(new) {
            groups[name]?.removeAll { $0 == group }
            if groups[name]?.isEmpty == true { groups[name] = nil }
        }
        for name in new.subtracting(old) {
            groups[name, default: []].append(group)
            // By name, so that the group that is named as the reason does not follow from who was paused first.
            groups[name]?.sort()
        }
    }
}
