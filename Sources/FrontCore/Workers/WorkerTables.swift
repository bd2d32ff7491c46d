//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// What `WorkerSessions` keeps beside the sessions: it is known of workers when they are gone.

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

/// Workers that were lost and that somebody had asked to drain, the one that went first in front.
///
/// A process that was stopped or cut off for longer than its lease comes back under its id. It may never have received that it is to drain, so it
/// is sent that again, and gets no job. A process that starts anew has an id of its own and is not meant. Nor is a worker that has closed its
/// registration or whose process has ended: it does not come back, so that `drain_worker` of its id is refused, and the refusal says
/// that it is gone for good.
struct DrainedWorkers: Equatable {
    private(set) var ids: [WorkerID] = []

    /// How many they are.
    var count: Int { ids.count }

    /// Whether that worker was asked to drain before it went.
    func contains(_ id: WorkerID) -> Bool { ids.contains(id) }

    /// Those that are too many, the one that went first in front.
    func excess(over limit: Int) -> ArraySlice<WorkerID> { ids.prefix(max(0, ids.count - limit)) }

    /// A worker is lost that was asked to drain.
    mutating func add(_ id: WorkerID) {
        remove(id)
        ids.append(id)
    }

    /// It has registered again: from now on its record says that it is to drain. Or there is no room for it.
    mutating func remove(_ id: WorkerID) { ids.removeAll { $0 == id } }

    /// The entries that make them, in that order.
    var entries: [JournalEntry] { ids.map { .workerLost(JournalEntry.WorkerLost($0, drains: true)) } }
}

/// The epochs from which leases of known workers count, and the present one, or the one that is replayed: in order.
///
/// A worker's lease counts from the first epoch that it has not registered with: its last renewal was answered before that began.
struct LeaseEpochs {
    private(set) var all: [JournalEntry.EpochBegan] = []

    /// The latest one; none: none has begun.
    var present: Epoch { all.last?.epoch ?? .none }

    /// One began. Those from which no lease counts are forgotten.
    /// - Parameter oldest: The epoch in which the worker registered last that did so first; nil: no worker is known.
    mutating func begin(_ entry: JournalEntry.EpochBegan, oldest: Epoch?) {
        guard all.last.map({ $0.epoch < entry.epoch }) ?? true else { return }
        all.append(entry)
        let oldest = oldest ?? entry.epoch
        all.removeAll { $0.epoch <= oldest && $0.epoch < entry.epoch }
    }

    /// How long it takes until the leases of workers are over that registered last in an earlier epoch.
    func leaseLeft(of epoch: Epoch, _ settings: FrontSettings) -> Duration {
        let (whole, boot) = (settings.lease + settings.grace, settings.boot)
        // Boot times of another boot say nothing, so only the first epoch of this one counts; without one the whole lease begins anew.
        guard !boot.id.isEmpty, let began = all.first(where: { $0.epoch > epoch && $0.bootID == boot.id }) else { return whole }
        // Never longer than a lease, whatever a journal says of the time since the boot.
        return min(whole, max(.zero, .milliseconds(began.bootMilliseconds) + whole - boot.uptime))
    }
}
