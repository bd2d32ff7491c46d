//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Which loaders and workers are paused, by whom and until when. Entries alone change it; the scheduler is told whom that concerns.
struct PauseTable {
    private var pauses: [PauseTarget: JournalEntry.LastingPause] = [:]

    /// How many pauses there are.
    var count: Int { pauses.count }

    /// The targets of all, in order.
    var targets: [PauseTarget] { pauses.keys.sorted { $0.key < $1.key } }

    /// The pause of exactly that target; nil: it has none.
    subscript(target: PauseTarget) -> JournalEntry.LastingPause? { pauses[target] }

    /// What keeps the jobs of a loader waiting: the pause of all loaders, or its own; nil: neither.
    func target(holding loader: @autoclosure () -> String) -> PauseTarget? {
        guard !pauses.isEmpty else { return nil }
        return [.everything, .loader(loader())].first { pauses[$0] != nil }
    }

    /// Whether workers of a name get no jobs.
    func holds(worker name: String) -> Bool { !pauses.isEmpty && pauses[.worker(name)] != nil }

    /// When the first pause ends by itself, by the clock of lengths; nil: none does. Asked for each job that gets a time, and looked for where a pause
    /// changes.
    private(set) var nextEnd: LengthTime?

    /// Those whose time is over when that clock shows `time`, in order.
    func ended(by time: LengthTime) -> [PauseTarget] { targets.filter { pauses[$0]?.endsAt.map { $0 <= time } ?? false } }

    /// The entries that make them.
    var entries: [JournalEntry] { targets.map { .pauseChanged(JournalEntry.PauseChanged($0, pauses[$0])) } }

    /// A target is paused, be it anew, or no longer.
    /// - Returns: whether it was, before.
    mutating func apply(_ change: JournalEntry.PauseChanged) -> Bool {
        let old = pauses[change.target]
        pauses[change.target] = change.pause
        nextEnd = pauses.values.compactMap(\.endsAt).min()
        return old != nil
    }
}
