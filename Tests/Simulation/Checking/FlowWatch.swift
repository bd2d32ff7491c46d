//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// What decides who is next beside the order of the queue: pauses, and the turns of clients.

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

/// Whether clients that have waiting jobs of one loader take turns by their weights, as durable entries tell it. Reckoned from the rule alone.
///
/// As long as one job of a client waits that nothing keeps but others before it, that client's turns come: no other one gets more for its weight than
/// it does, but for what both may get at once. Such a job is a *witness*, the last of its client's by rank, so that it waits for long.
struct ShareWatch {
    /// Jobs of one client and loader, which rank orders.
    struct Line: Hashable {
        var loader: String
        var client: String
    }

    /// What was granted while a witness has waited.
    private struct Window {
        let witness: UInt64
        /// How many jobs of its own client, and of each other one of its loader.
        var own = 0
        var others: [String: Int] = [:]
    }

    /// By the name of a client its weight, where it is not 1.
    var weights: [String: UInt32] = [:]
    private var windows: [Line: Window] = [:]

    private func weight(of client: String) -> Int { Int(weights[client] ?? 1) }

    /// What an entry says may end the wait of a witness, or how long it has been its client's turn.
    mutating func take(_ entry: JournalEntry) {
        if case .epochBegan = entry { windows = [:] }
        if case .pauseChanged = entry { windows = [:] }
        if case .jobDelayed(let delayed) = entry { end([delayed.job.rawValue]) }
        if case .jobReplaced(let replaced) = entry { end([replaced.job.rawValue]) }
        if case .termsChanged(let changed) = entry { end([changed.job.rawValue]) }
        if case .granted(let granted) = entry { end(granted.jobs) }
    }

    private mutating func end(_ jobs: [UInt64]) {
        for (line, window) in windows where jobs.contains(window.witness) { windows[line] = nil }
    }

    /// Jobs were granted, each of one of those lines.
    /// - Parameters:
    ///   - last: Of each line the last job by rank that waits for nothing but its turn.
    ///   - waits: Whether a job does now.
    ///   - batch: How many jobs of a loader a client gets at once at most.
    /// - Returns: what that breaks.
    mutating func take(_ granted: [Line], last: [Line: UInt64], waits: (UInt64) -> Bool, batch: (String) -> Int) -> [String] {
        var counts: [String: [String: Int]] = [:]
        for line in granted { counts[line.loader, default: [:]][line.client, default: 0] += 1 }
        windows = windows.filter { waits($0.value.witness) }
        var found: [String] = []
        for (line, window) in windows.sorted(by: { $0.value.witness < $1.value.witness }) {
            guard let count = counts[line.loader] else { continue }
            var window = window
            for (client, count) in count {
                if client == line.client { window.own += count } else { window.others[client, default: 0] += count }
            }
            windows[line] = window
            found += faults(of: window, line, batch: batch(line.loader))
        }
        for (line, job) in last where windows[line] == nil { windows[line] = Window(witness: job) }
        return found
    }

    private func faults(of window: Window, _ line: Line, batch: Int) -> [String] {
        let own = weight(of: line.client)
        return window.others.sorted { $0.key < $1.key }.compactMap { client, count in
            let other = weight(of: client)
            // What each may be ahead of the other when the wait begins and when it ends, and one job for what is lost by whole strides. Whoever comes may
            // be ahead as one of weight 1 can be.
            guard count * own > other * (window.own + batch * own) + own * (batch + 1) else { return nil }
            return
                "job \(window.witness) of \"\(line.client)\" (weight \(own)) waits, of whose \(line.loader) jobs \(window.own) are granted "
                + "meanwhile, and \(count) of \"\(client)\" (weight \(other))"
        }
    }
}
