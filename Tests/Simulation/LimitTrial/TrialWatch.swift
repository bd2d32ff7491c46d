//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What is true of limits in a trial: as rows say it, and as runs really begin and end at the workers. Reckoned beside the front.
struct TrialWatch {
    /// A job that has not ended.
    private struct Job {
        let keys: [LimitKey]
        /// Whether a worker holds it, as the rows say.
        var isHeld = false
        /// Whether it really runs.
        var isRunning = false
        /// The turn in which it was granted last, and what each of its limits allowed then.
        var turn: UInt64 = 0
        var capacities: [UInt32] = []
    }

    /// A run of a limit's value that goes on.
    private struct Running {
        let job: UInt64
        let turn: UInt64
        let capacity: UInt32
        let weight: Int
    }

    private var jobs: [UInt64: Job] = [:]
    private(set) var limits = LimitWatch()
    private var rates = RateWatch()
    private var capacities: [String: UInt32] = [:]
    /// What really runs.
    private var running: [LimitKey: [Running]] = [:]
    /// Jobs of which no client was told yet, as the rows have them, by the first.
    private var batches: [UInt64: JournalEntry.AcceptedJobs] = [:]
    /// What clients have asked limits to say.
    private var asked: [String: Set<LimitRule>] = [:]
    private(set) var (runCount, acceptedCount): (UInt64, UInt64) = (0, 0)
    private(set) var violation: Violation?
    /// The only promise that counts, because it is known to be broken; nil: all do.
    private let sought: Promise?

    init(seeking sought: Promise?) { self.sought = sought }

    /// Jobs that have not ended.
    var aliveCount: Int { jobs.count }
    /// A job that has not ended.
    func alive(_ random: inout SplitMix64) -> UInt64? { jobs.isEmpty ? nil : jobs.keys.min().map { $0 + UInt64(random.below(jobs.count)) } }

    /// Something is broken.
    mutating func find(_ promise: Promise, _ text: String) {
        guard violation == nil, sought == nil || sought == promise else { return }
        violation = Violation(promise: promise, text: text)
    }

    /// A client asks that a limit say that.
    mutating func asks(_ name: String, for rule: LimitRule) {
        rates.asks(name, for: rule.refill)
        asked[name, default: []].insert(rule)
    }

    /// A client was told that its jobs, which count in those limits, are accepted.
    mutating func confirm(first: UInt64, _ keys: [[LimitKey]]) {
        guard let batch = batches.removeValue(forKey: first), batch.arguments.count == keys.count else {
            return find(.acceptedIsKept, "\(keys.count) jobs from \(first) on are accepted, and no row has them")
        }
        for (row, keys) in keys.enumerated() where batch.options[row].limitKeys != keys {
            find(.limitsHold, "job \(first + UInt64(row)) counts in other limits than it was submitted with")
        }
    }

    /// A turn is durable.
    mutating func take(_ entries: [JournalEntry], turn: UInt64) {
        var granted: [[LimitKey]] = []
        rates.take(entries)
        for entry in entries {
            switch entry {
            case .limitChanged(let changed):
                limits.take(changed)
                if let rule = changed.rule, asked[changed.name]?.contains(rule) != true {
                    find(.limitsHold, "\(changed.name) allows \(rule.line), which nobody asked for")
                }
                capacities[changed.name] = changed.rule.map { $0.capacity ?? .max }
            case .jobsAccepted(let accepted): accept(accepted)
            case .granted(let jobs): grant(jobs, turn: turn, into: &granted)
            case .attemptsEnded(let ended): for attempt in ended.jobs { release(attempt.job.rawValue, ends: false) }
            case .ended(let ended): for job in ended.jobs { release(job, ends: true) }
            default: break
            }
        }
        limits.countFull(after: granted)
    }

    private mutating func accept(_ accepted: JournalEntry.AcceptedJobs) {
        let first = accepted.first.rawValue
        for offset in 0..<accepted.arguments.count { jobs[first + UInt64(offset)] = Job(keys: accepted.options[offset].limitKeys) }
        batches[first] = accepted
        acceptedCount += UInt64(accepted.arguments.count)
    }

    private mutating func grant(_ granted: JournalEntry.GrantedJobs, turn: UInt64, into keys: inout [[LimitKey]]) {
        for id in granted.jobs {
            guard let job = jobs[id] else {
                find(.endsOnce, "job \(id) is granted, and has ended or was never accepted")
                continue
            }
            guard !granted.isReregistration else {
                if !job.isHeld { find(.runsOnceAtATime, "job \(id) is renewed, and nobody held it") }
                continue
            }
            if job.isHeld { find(.runsOnceAtATime, "job \(id) is granted, and somebody holds it") }
            if let broken = limits.take(job.keys, isGrant: true) { find(.limitsHold, "job \(id) is granted: \(broken)") }
            jobs[id]?.isHeld = true
            jobs[id]?.turn = turn
            jobs[id]?.capacities = job.keys.map { capacities[$0.limit] ?? 0 }
            keys.append(job.keys)
        }
    }

    private mutating func release(_ id: UInt64, ends: Bool) {
        guard let job = jobs[id] else { return find(.endsOnce, "job \(id) ends, and has ended or was never accepted") }
        if job.isHeld { limits.free(job.keys) }
        jobs[id]?.isHeld = false
        if ends { jobs[id] = nil }
        // Its run may still be counted at a worker: that is the point, and the next grant's runs will show it.
    }

    /// A run really begins.
    /// - Returns: what it counts in.
    mutating func begin(_ id: UInt64, at worker: String) -> [LimitKey] {
        runCount += 1
        guard let job = jobs[id] else {
            find(.nothingRunsAfterItsEnd, "job \(id) begins at \(worker), and has ended")
            return []
        }
        guard job.isHeld else {
            find(.durableBeforeSent, "job \(id) begins at \(worker), and no row grants it")
            return []
        }
        if job.isRunning { find(.runsOnceAtATime, "job \(id) begins at \(worker), and runs elsewhere") }
        jobs[id]?.isRunning = true
        for (key, capacity) in zip(job.keys, job.capacities) {
            running[key.unweighted, default: []].append(Running(job: id, turn: job.turn, capacity: capacity, weight: Int(key.weight)))
            check(key)
        }
        if let broken = rates.start(id, job.keys) { find(.ratesHold, "job \(id): \(broken)") }
        return job.keys
    }

    /// All that runs now was held when the last of it was granted: together it fits into what the limit allowed then, whatever it has allowed since.
    private mutating func check(_ key: LimitKey) {
        guard let runs = running[key.unweighted], let last = runs.max(by: { $0.turn < $1.turn }) else { return }
        let weight = runs.reduce(0) { $0 + $1.weight }
        guard weight > Int(last.capacity) else { return }
        let jobs = runs.map { "\($0.job) (\($0.weight))" }.joined(separator: ", ")
        find(.limitsHold, "\(weight) permits of the limit \(key.unweighted.text) are really used, at most \(last.capacity): jobs \(jobs)")
    }

    /// A run has really ended.
    mutating func end(_ id: UInt64, _ keys: [LimitKey]) {
        jobs[id]?.isRunning = false
        for key in keys {
            let index = running[key.unweighted]?.firstIndex { $0.job == id }
            if let index { running[key.unweighted]?.remove(at: index) }
        }
    }

    /// Everything has ended: whether a permit is still taken.
    mutating func checkEnd() {
        if !limits.isFree { find(.countsAreTrue, "permits are taken when all has ended, as the rows say") }
        for (key, runs) in running where !runs.isEmpty { find(.everythingEnds, "\(runs.count) runs of \(key.text) go on") }
    }
}
