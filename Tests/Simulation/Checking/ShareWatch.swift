//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

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
