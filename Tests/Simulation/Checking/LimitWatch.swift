//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryAuditRecord
import GantryModel
import GantryWorker

/// What counts in limits, as durable entries tell it. Reckoned beside the front, never from its state.
struct LimitWatch {
    /// What each limit says.
    private var capacities: [String: UInt32] = [:]
    /// Those that have a rate.
    private var rated: Set<String> = []
    /// Jobs that workers hold.
    private var inUse: [LimitKey: Int] = [:]
    /// What was granted.
    private(set) var grants = GrantCounts()
    /// Those that a feed's job is to count in.
    var ofFeeds: (JournalEntry.FeedJob) -> [LimitKey] = { _ in [] }

    /// A limit says something else, or is no more.
    mutating func take(_ changed: JournalEntry.LimitChanged) {
        capacities[changed.name] = changed.rule.map { $0.capacity ?? .max }
        if changed.rule?.refill == nil { rated.remove(changed.name) } else { rated.insert(changed.name) }
    }

    /// A feed's job is accepted.
    /// - Returns: in what it breaks them; nil: in nothing.
    func fault(of job: JournalEntry.FeedJob) -> String? {
        let (keys, given) = (ofFeeds(job), job.options.limitKeys)
        guard keys != given else { return nil }
        let texts = [given, keys].map { $0.map(\.text).joined(separator: ", ") }
        return "job \(job.job), the \(job.operation) of \(job.key), counts in the limits \"\(texts[0])\", not in \"\(texts[1])\""
    }

    /// Whether each of the limits is there.
    func knows(_ keys: [LimitKey]) -> Bool { keys.allSatisfy { capacities[$0.limit] != nil } }

    /// A worker is given a job.
    ///
    /// - Parameter isGrant: Whether it is to begin it; else it has named it as one that it runs.
    /// - Returns: the limit that it breaks; nil: none.
    mutating func take(_ keys: [LimitKey], isGrant: Bool) -> String? {
        for key in keys { inUse[key.unweighted, default: 0] += Int(key.weight) }
        if isGrant { countGrant(keys) }
        guard let broken = keys.first(where: { (inUse[$0.unweighted] ?? 0) > Int(capacities[$0.limit] ?? .max) }) else { return nil }
        return "\(inUse[broken.unweighted] ?? 0) permits of the limit \(broken.text) are held (capacity \(capacities[broken.limit] ?? 0))"
    }

    private mutating func countGrant(_ keys: [LimitKey]) {
        grants.all += 1
        if !keys.isEmpty { grants.limited += 1 }
        if isFull(keys) { grants.last += 1 }
    }

    /// Jobs were granted together, each with its limits.
    mutating func countFull(after granted: [[LimitKey]]) { grants.full += UInt64(granted.count(where: isFull)) }

    /// Whether one of those limits has no permit left.
    private func isFull(_ keys: [LimitKey]) -> Bool {
        keys.contains { inUse[$0.unweighted] == capacities[$0.limit].map { Int($0) } }
    }

    /// Nobody holds a job any more.
    mutating func free(_ keys: [LimitKey]) { for key in keys { inUse[key.unweighted, default: 0] -= Int(key.weight) } }

    /// Whether a limit has as many permits at all as a job needs.
    func mayFit(_ key: LimitKey) -> Bool { Int(key.weight) <= Int(capacities[key.limit] ?? .max) }

    /// Whether a limit has fewer free permits than a job needs of it, and as many at all.
    func isShort(of key: LimitKey) -> Bool {
        let capacity = Int(capacities[key.limit] ?? .max)
        return Int(key.weight) <= capacity && (inUse[key.unweighted] ?? 0) + Int(key.weight) > capacity
    }

    /// Whether a job surely found room before others, each of them with its limits, were granted. That a limit with a rate had a token is sure where
    /// one of the others took it.
    func hadRoom(for keys: [LimitKey], before others: [[LimitKey]]) -> Bool {
        keys.allSatisfy { key in
            let shared = others.flatMap { $0.filter { $0.unweighted == key.unweighted } }
            let taken = shared.reduce(0) { $0 + Int($1.weight) }
            return (inUse[key.unweighted] ?? 0) - taken + Int(key.weight) <= Int(capacities[key.limit] ?? .max)
                && (taken > 0 || !rated.contains(key.limit))
        }
    }
}

/// How many attempts of limits with a rate really begin, each by the time of its grant: what a slow network delivers together was granted apart.
struct RateWatch {
    /// The most that was ever asked for, by limit: tokens in a millisecond, and the burst. Whether and when that holds, only the journal says.
    private var greatest: [String: (count: Double, burst: Double)] = [:]
    /// When each job was granted last, by the clock of lengths, nil where nothing says that any token was taken; and the limits that had a rate then.
    private var grants: [UInt64: (at: Int64?, rated: Set<String>)] = [:]
    /// The limits that have a rate now.
    private var rated: Set<String> = []
    /// The grants of attempts that have really begun, of each value the last ones, oldest first.
    private var starts: [LimitKey: [Int64]] = [:]

    /// So many starts of a value are looked at.
    private static let kept = 256

    /// A client asks for a rate.
    mutating func asks(_ name: String, for refill: LimitRefill?) {
        guard let refill else { return }
        let known = greatest[name] ?? (0, 0)
        let count = Double(refill.count) / Double(refill.period.wholeMilliseconds)
        greatest[name] = (max(known.count, count), max(known.burst, Double(refill.burst)))
    }

    /// The most tokens that a limit can have had; nil: nobody asked for any.
    func greatestBurst(of name: String) -> Int? { (greatest[name]?.burst).map { Int($0) } }

    /// The front has decided that, in one turn or in several that were written together: what its grants take stands before them. A limit that was
    /// deleted begins anew.
    mutating func take(_ entries: [JournalEntry]) {
        var time: Int64?
        for entry in entries {
            if case .tokensChanged(let tokens) = entry { time = tokens.levels.last?.lengthTime }
            if case .granted(let granted) = entry, !granted.isReregistration { for job in granted.jobs { grants[job] = (time, rated) } }
            guard case .limitChanged(let changed) = entry else { continue }
            if changed.rule?.refill == nil { rated.remove(changed.name) } else { rated.insert(changed.name) }
            if changed.rule?.refill == nil { starts = starts.filter { $0.key.limit != changed.name } }
        }
    }

    /// An attempt of a job begins at a worker.
    /// - Returns: the limit that it breaks; nil: none, or it is not known when it was granted.
    mutating func start(_ job: UInt64, _ keys: [LimitKey]) -> String? {
        guard let grant = grants[job] else { return nil }
        for key in keys where grant.rated.contains(key.limit) {
            guard let rate = greatest[key.limit] else { continue }
            guard let time = grant.at else { return "it is granted without a token of the limit \(key.text)" }
            let key = key.unweighted
            var times = starts[key] ?? []
            times.insert(time, at: times.firstIndex { $0 > time } ?? times.endIndex)
            if times.count > Self.kept { times.removeFirst() }
            starts[key] = times
            // Of all windows that begin earlier the worst one: what it had too many, less what came since.
            var worst = Double.infinity
            for (index, time) in times.enumerated() {
                let due = Double(index) - rate.count * Double(time)
                worst = min(worst, due)
                guard due - worst + 1 > rate.burst + 1e-6 else { continue }
                return "\(due - worst + 1) attempts of the limit \(key.text) begin beyond what comes in the time (burst \(rate.burst))"
            }
        }
        return nil
    }
}

// What really runs, counted at the workers: whatever the front believes.
extension Ledger {
    /// A client asks that a limit say that. Whether and when it does, only the journal says: what was ever asked for bounds what may run.
    func asks(_ name: String, for rule: LimitRule) {
        greatestCapacities[name] = max(greatestCapacities[name] ?? 0, rule.capacity ?? .max)
        rates.asks(name, for: rule.refill)
    }

    /// A client was told that a limit has no token for its jobs and lets none wait.
    func refusedBeyondRate(_ options: JobOptionsColumn, of client: String) {
        let isNamed = options.distinct.contains { options in options.limitKeys.contains { $0.limit == FlowVariation.refusingLimit } }
        guard !isNamed || !world.flow.refusesBeyondRates else { return }
        world.violate(.ratesHold, "\(client) is refused, and no limit of its jobs refuses any")
    }

    /// Jobs are accepted of which a limit that lets none wait cannot have had so many tokens at once.
    func checkRates(of options: JobOptionsColumn, count: Int, by client: String) {
        guard world.flow.refusesBeyondRates, let burst = rates.greatestBurst(of: FlowVariation.refusingLimit) else { return }
        var counts: [LimitKey: Int] = [:]
        for (options, rows) in options.runs(of: count) where options.retryOf == nil {
            for key in options.limitKeys where key.limit == FlowVariation.refusingLimit { counts[key.unweighted, default: 0] += rows.count }
        }
        guard let most = counts.values.max(), most > burst else { return }
        world.violate(.ratesHold, "\(client): \(most) jobs are accepted, and the limit never has more than \(burst) tokens")
    }

    /// A client submits jobs with these markers.
    func submits(_ markers: [UInt64], with options: JobOptionsColumn, to loader: SimulatedLoader) {
        for (row, marker) in markers.enumerated() {
            let keys = world.flow.limitKeys(of: options[row], loader: loader.declaration.name)
            if !keys.isEmpty { limitsOfMarkers[marker] = keys }
            timeoutsOfMarkers[marker] = options[row].attemptTimeout
            if options[row].totalTimeout != nil { markersWithTotals.insert(marker) }
        }
    }

    /// A worker asks a run to stop because it has taken its time. Its clock may go a little faster than the world's.
    func timesOut(_ run: Run) {
        let length = Duration.nanoseconds(world.now - run.startedAt)
        // How much of its total time a job has left when it is granted, the worker alone knows.
        guard !markersWithTotals.contains(run.marker) else { return }
        guard let timeout = timeoutsOfMarkers[run.marker], length >= timeout * 9 / 10 - .milliseconds(50) else {
            return world.violate(.timeoutsKeepTheirTime, "run \(run.number) of job \(run.job) is asked to stop after \(length)")
        }
    }

    /// The limits that a run counts in: a feed's those of its work, another one those of its marker.
    func limits(of run: Run) -> [LimitKey] {
        run.work.map { world.flow.limitKeys(of: $0.key, $0.operation, loader: run.loader.declaration.name) }
            ?? limitsOfMarkers[run.marker] ?? []
    }

    /// A run begins.
    func takeLimits(_ keys: [LimitKey], of job: JobID) {
        for key in keys {
            runsOfLimits[key.unweighted, default: 0] += Int(key.weight)
            let (runs, most) = (runsOfLimits[key.unweighted] ?? 0, Int(greatestCapacities[key.limit] ?? 0))
            if runs > most {
                world.violate(.limitsHold, "\(runs) permits of the limit \(key.text) are used, by \(job) too (at most \(most))")
            }
        }
    }

    /// An attempt begins.
    func takeTokens(_ marker: UInt64, of job: JobID) {
        if let broken = rates.start(job.rawValue, limitsOfMarkers[marker] ?? []) { world.violate(.ratesHold, "job \(job): \(broken)") }
    }

    /// A run has really ended.
    func freeLimits(_ keys: [LimitKey]) {
        for key in keys { runsOfLimits[key.unweighted, default: 0] -= Int(key.weight) }
    }
}

/// What workers would write into their records, and what an audit of that finds: at the end of a world in which limits held, that they held.
struct AuditWatch {
    private var runs: [AuditedRun] = []
    private var open: [UInt64: Int] = [:]

    /// A run begins.
    mutating func began(_ number: UInt64, _ starts: [RecordedStart], on worker: WorkerProcess, at time: Int64) {
        guard !starts.isEmpty else { return }
        open[number] = runs.count
        runs.append(
            AuditedRun(
                label: worker.name, writer: RecordWriterName(.worker, worker.id.rawValue), process: worker.identity, starts: starts,
                start: time, end: time, sureEnd: time, ending: .running))
    }

    /// A run has really ended, or its process has.
    mutating func ended(_ number: UInt64, at time: Int64) {
        guard let index = open.removeValue(forKey: number) else { return }
        (runs[index].end, runs[index].sureEnd, runs[index].ending) = (time, time, .stopped)
    }

    /// What an audit finds that is not so; nil: all limits held.
    func fault(at time: Int64) -> String? {
        let audit = LimitAudit(runs.sorted { $0.start < $1.start }, from: 0, to: time)
        guard let value = audit.values.first(where: { $0.state != .held }) else { return nil }
        let most = value.excesses.first.map { "\($0.running) of \($0.capacity) run" }
        let early = value.rate?.early.first.map { "job \($0.job) began with \($0.tokens) tokens of \($0.refill.line)" }
        return "the audit says that the limit \(value.key.text) is \(value.state): \(most ?? early ?? "")"
    }
}

extension Ledger {
    /// A job begins in a slot, and its start is written down.
    func records(_ run: Run, _ start: WorkStart) {
        guard let limited = start.limited else { return }
        let recorded = RecordedStart(run: run.number, job: start.job, attempt: start.attempt, limited: limited, leaseEnd: world.now)
        audits.began(run.number, [recorded], on: run.worker, at: world.now)
    }

    /// Jobs of a bulk loader run one after another.
    func records(_ starts: [RecordedStart], on worker: WorkerProcess) {
        guard let run = starts.first?.run else { return }
        audits.began(run, starts, on: worker, at: world.now)
        audits.ended(run, at: world.now)
    }

    /// The audit of a world that has come to its end. A front that keeps nothing forgets what runs, and what was taken of a rate.
    func checkAudit() {
        if !isMemory, let fault = audits.fault(at: world.now) { world.violate(.auditsAgree, fault) }
    }
}
