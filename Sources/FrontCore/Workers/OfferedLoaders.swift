//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Which loaders workers have offered, and when last: a submit that names another one is most likely mistyped.
///
/// The time is that of the wall clock, which may be set: the newest one stays, and one in the future counts as now, so that no step of the clock
/// makes a loader unknown that was offered a minute ago.
struct OfferedLoaders {
    /// How old a time gets before it is written again, so that workers that come and go write nothing each time.
    private static let noteAge: Duration = .seconds(86_400)
    /// How long a loader is known after its time: 30 days, so that a worker that runs once a month has its jobs submitted in between, and what that time
    /// may be too old.
    private static let age: Duration = JobTime.longest + noteAge

    private var times: [String: WallTime] = [:]

    /// Loaders that are kept.
    var count: Int { times.count }

    /// Whether a worker has offered a loader lately.
    func knows(_ loader: String, at now: WallTime) -> Bool { times[loader].map { $0.duration(to: now) < Self.age } ?? false }

    /// Those that it knows, in no order.
    func known(at now: WallTime) -> some Sequence<String> { times.lazy.filter { $0.value.duration(to: now) < Self.age }.map(\.key) }

    /// What is to be recorded where a worker offers these loaders now, or has until now; nil: nothing.
    /// - Parameter limit: How many loaders are kept.
    func note(of loaders: [String], at now: WallTime, limit: Int) -> JournalEntry.LoadersOffered? {
        let due = loaders.filter { name in times[name].map { $0.duration(to: now) >= Self.noteAge } ?? true }.sorted().prefix(limit)
        guard !due.isEmpty else { return nil }
        let others = times.filter { !due.contains($0.key) }
        let excess = max(0, others.count + due.count - limit)
        let oldest = excess == 0 ? [] : others.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.prefix(excess)
        return JournalEntry.LoadersOffered(due.map { JournalEntry.OfferedLoader($0, at: now) }, forgotten: oldest.map(\.key))
    }

    /// The entry that makes it; none where it is empty.
    var entries: [JournalEntry] {
        guard !times.isEmpty else { return [] }
        let loaders = times.sorted { $0.key < $1.key }.map { JournalEntry.OfferedLoader($0.key, at: $0.value) }
        return [.loadersOffered(JournalEntry.LoadersOffered(loaders))]
    }

    mutating func apply(_ entry: JournalEntry.LoadersOffered, _ turn: EntryTurn) {
        for name in entry.forgotten { times[name] = nil }
        for loader in entry.loaders { times[loader.name] = max(times[loader.name] ?? loader.at, loader.at) }
    }
}

extension WorkerSessions {
    /// Loaders were offered, or are forgotten.
    mutating func apply(_ entry: JournalEntry.LoadersOffered, _ turn: EntryTurn) { offered.apply(entry, turn) }
}
