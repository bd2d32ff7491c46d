//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What is paused, as durable entries tell it, and as clients were told. Reckoned beside the front, never from its state.
struct PauseWatch {
    /// The pauses that are durable.
    private var lasting: [PauseTarget: JournalEntry.LastingPause] = [:]
    /// Until when nothing of a target is granted, since a client has the answer to its pause, in nanoseconds of the world.
    private var answered: [PauseTarget: Int64] = [:]
    /// Targets whose pause a client has asked to end: when that arrives nobody knows.
    private var endsAsked: Set<PauseTarget> = []
    /// What workers are called, by their processes.
    private var names: [WorkerID: String] = [:]
    /// The world's monotonic clock, in nanoseconds.
    var now: Int64 = 0

    /// A client asks for the end of a pause.
    mutating func asksForEnd(of target: PauseTarget) { endsAsked.insert(target) }

    /// A client has the answer to the pause that it asked for at that time; a second one never ends before the first, for all are as long. A clock
    /// may go faster than the world's: so a tenth is left out.
    mutating func begins(_ target: PauseTarget, asked: Int64, for length: Duration) {
        let end = asked + Int64(length.wholeMilliseconds) * 900_000
        answered[target] = max(answered[target] ?? 0, end)
    }

    /// A pause begins or ends, or a worker comes.
    /// - Returns: what is wrong with that; nil: nothing.
    mutating func take(_ entry: JournalEntry) -> String? {
        if case .workerRegistered(let registered) = entry { names[registered.worker] = registered.registration.name }
        guard case .pauseChanged(let changed) = entry else { return nil }
        let old = lasting[changed.target]
        lasting[changed.target] = changed.pause
        guard changed.pause == nil, !endsAsked.contains(changed.target) else { return nil }
        guard let until = old?.until, until <= changed.lengthTime else {
            return "the pause of \(changed.target) ends at \(changed.lengthTime), and nobody has asked for that (until \(old?.until ?? 0))"
        }
        return nil
    }

    /// Why a job of a loader may not be granted to a worker; nil: it may.
    func reason(against loader: String, at worker: WorkerID) -> String? {
        for target in [PauseTarget.everything, .loader(loader), .worker(names[worker] ?? "")] {
            if lasting[target] != nil { return "\(target): paused" }
            if !endsAsked.contains(target), let end = answered[target], now < end { return "\(target): said to be paused until \(end)" }
        }
        return nil
    }

    /// Whether the jobs of a loader wait for the end of a pause.
    func holds(_ loader: String) -> Bool { lasting[.everything] != nil || lasting[.loader(loader)] != nil }
}
