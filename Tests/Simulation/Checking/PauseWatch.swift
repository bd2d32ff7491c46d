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
    /// What the configuration of each life of the front says of groups, and that of the present one.
    var groups: (Epoch) -> [String: GroupMembers] = { _ in [:] }
    private var configured: [String: GroupMembers] = [:]
    /// When the pause of a group ended that the configuration had nothing in any more.
    private var lostAt: [PauseTarget: Int64] = [:]
    /// The world's monotonic clock, in nanoseconds.
    var now: Int64 = 0

    /// A client asks for the end of a pause.
    mutating func asksForEnd(of target: PauseTarget) { endsAsked.insert(target) }

    /// A client has the answer to the pause that it asked for at that time; a second one never ends before the first, for all are as long. A clock
    /// may go faster than the world's: so a tenth is left out.
    mutating func begins(_ target: PauseTarget, asked: Int64, for length: Duration) {
        guard asked > lostAt[target] ?? -1 else { return }
        let end = asked + Int64(length.wholeMilliseconds) * 900_000
        answered[target] = max(answered[target] ?? 0, end)
    }

    /// A pause begins or ends, or a worker comes.
    /// - Returns: what is wrong with that; nil: nothing.
    mutating func take(_ entry: JournalEntry) -> String? {
        if case .workerRegistered(let registered) = entry { names[registered.worker] = registered.registration.name }
        if case .epochBegan(let began) = entry { configured = groups(began.epoch) }
        guard case .pauseChanged(let changed) = entry else { return nil }
        if case .group(let name) = changed.target {
            if let pause = changed.pause, pause.members != configured[name] {
                return "the pause of \(changed.target) is of \(pause.members)"
            }
            if changed.pause == nil, configured[name] == nil {
                (lasting[changed.target], answered[changed.target], lostAt[changed.target]) = (nil, nil, now)
                return nil
            }
        }
        let old = lasting[changed.target]
        lasting[changed.target] = changed.pause
        guard changed.pause == nil, !endsAsked.contains(changed.target) else { return nil }
        guard let until = old?.until, until <= changed.lengthTime else {
            return "the pause of \(changed.target) ends at \(changed.lengthTime), and nobody has asked for that (until \(old?.until ?? 0))"
        }
        return nil
    }

    /// Why a job may not be granted to a worker; nil: it may.
    func reason(against job: QueueWatch.Job, at worker: WorkerID) -> String? {
        for target in [PauseTarget.everything, .loader(job.loader), .worker(names[worker] ?? "")] + groups(of: job) {
            if lasting[target] != nil { return "\(target): paused" }
            if !endsAsked.contains(target), let end = answered[target], now < end { return "\(target): said to be paused until \(end)" }
        }
        return nil
    }

    /// Whether a job waits for the end of a pause.
    func holds(_ job: QueueWatch.Job) -> Bool {
        ([.everything, .loader(job.loader)] + groups(of: job)).contains { lasting[$0] != nil }
    }

    /// The groups that a job is of, as the configuration says now.
    private func groups(of job: QueueWatch.Job) -> [PauseTarget] {
        configured.filter { $0.value.loaders.contains(job.loader) || $0.value.feeds.contains(job.feed) }.map { .group($0.key) }
    }
}
