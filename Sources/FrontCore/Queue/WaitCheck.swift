//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Why each waiting job has to wait, by a look at every job, worker, pause and limit: for checks from outside, nothing here is used while serving.
///
/// What is shown comes from counts and lines that are kept as things happen; this knows none of them, but for the levels of buckets.
struct WaitCheck {
    private let state: FrontState
    private let queue: JobQueue
    private let isFull: Bool
    /// Permits that runs take, by the value of a limit.
    private var inUse: [LimitKey: Int] = [:]
    /// The loaders of workers that take jobs, now or later, and those of workers that are paused, with the worker's name.
    private var offered: Set<String> = []
    private var offeredByPaused: [String: Set<String>] = [:]
    /// All that wait.
    private var waiting: [UInt64] = []

    init(_ queue: JobQueue, in turn: FrontTurn) {
        (state, self.queue, isFull) = (turn.state, queue, turn.context.storageIsFull)
        let jobs = state.jobs
        for worker in state.workers.all where worker.isOffering {
            let (name, loaders) = (worker.registration.name, worker.registration.loaders.map(\.name))
            guard jobs.pauses.holds(worker: name) else {
                offered.formUnion(loaders)
                continue
            }
            for loader in loaders { offeredByPaused[loader, default: []].insert(name) }
        }
        var (inUse, waiting): ([LimitKey: Int], [UInt64]) = ([:], [])
        jobs.slab.visit(below: nil) { job in
            if job.standing.isHeld {
                for key in jobs.terms(of: job).options.limitKeys { inUse[key.unweighted, default: 0] += Int(key.weight) }
            } else if job.standing.waits {
                waiting.append(job.id)
            }
            return true
        }
        (self.inUse, self.waiting) = (inUse, waiting)
    }

    /// What is wrong with the reasons that are shown; nil: nothing.
    /// - Parameter shown: The reason of a job.
    func fault(of shown: (UInt64) -> WaitReason?) -> String? {
        for id in waiting {
            let reason = shown(id)
            guard let wrong = wrong(reason, state.jobs[id]) else { continue }
            return "job \(id) is said to wait since \(reason?.line ?? "nothing"): \(wrong)"
        }
        return nil
    }

    private func wrong(_ reason: WaitReason?, _ job: JobRecord) -> String? {
        let loader = state.jobs.loader(of: job)
        if job.standing == .blocked { return wrongHolder(reason, job) }
        if job.due != nil { return reason?.word == time(of: job) ? nil : "it is scheduled, \(time(of: job))" }
        for target in [PauseTarget.everything, .loader(loader)] where state.jobs.pauses[target] != nil {
            if case .paused(let pause)? = reason, pause.target == target { return nil }
            return "\(target) is paused"
        }
        if let target = group(holding: job, of: loader) {
            if case .paused(let pause)? = reason, pause.target == target { return nil }
            return "\(target) is paused"
        }
        if isFull { return reason == .storageFull ? nil : "the disk is full" }
        if let pause = queue.grantPause { return reason == .restarting(until: pause.shown) ? nil : "nothing is granted yet" }
        guard offered.contains(loader) else {
            guard let paused = offeredByPaused[loader] else {
                return reason == .noWorker(loader: loader) ? nil : "no worker offers \(loader)"
            }
            if case .paused(let pause)? = reason, case .worker(let name) = pause.target, paused.contains(name) { return nil }
            return "only paused workers offer \(loader)"
        }
        return wrongLimit(reason, job)
    }

    /// The first paused group that its loader is in, or its feed where it asks the source.
    private func group(holding job: JobRecord, of loader: String) -> PauseTarget? {
        let feedJob = state.jobs.keyLines[job.id]?.job
        let feed = loader == LoaderName.list ? nil : feedJob?.key.name
        return state.jobs.pauses.targets.first { target in
            guard case .group = target, let members = state.jobs.pauses[target]?.members else { return false }
            return members.loaders.contains(loader) || feed.map { members.feeds.contains($0) } ?? false
        }
    }

    private func time(of job: JobRecord) -> WaitReason.Word {
        if job.isSnoozed { return .snoozed }
        return (state.jobs.lastFailures[job.id]?.attempts ?? 0) > 0 ? .backedOff : .delayed
    }

    /// The job before it is one of its key that has not ended, and is said to be stopping if it is.
    private func wrongHolder(_ reason: WaitReason?, _ job: JobRecord) -> String? {
        let holder: UInt64
        switch reason {
        case .keyTaken(let before): holder = before.rawValue
        case .cancelledRunStopping(let before): holder = before.rawValue
        case .noWorker, .slotsTaken, .workersNotReady, .slotsReserved, .suspected, .restarting, .delayed, .backedOff, .snoozed, .limitFull,
            .limitTooSmall, .paused, .storageFull, nil:
            return "another job of its key has not ended"
        }
        guard state.jobs.contains(holder), holder != job.id, !state.jobs[holder].state.isFinal else { return "\(holder) has ended" }
        guard (state.jobs[holder].state == .cancelling) == (reason == .cancelledRunStopping(JobID(holder))) else {
            return "\(holder) is \(state.jobs[holder].state.name)"
        }
        if let own = state.jobs.keyLines[job.id]?.job {
            return state.jobs.keyLines[holder]?.job.key == own.key ? nil : "\(holder) is of another feed"
        }
        let keys = [job.id, holder].map { state.jobs.keys.taken(by: $0)?.key.text }
        let isSame = keys[0] != nil && keys[0] == keys[1] && state.jobs[holder].loader == job.loader
        return isSame ? nil : "\(holder) has another key"
    }

    /// A limit that has no room, or too little for good; where each has some, what is kept in one for a job before it.
    private func wrongLimit(_ reason: WaitReason?, _ job: JobRecord) -> String? {
        let keys = state.jobs.terms(of: job).options.limitKeys.filter { state.jobs.limits.rule(of: $0.limit) != nil }
        let small = keys.filter { key in capacity(key).map { key.weight > $0 } ?? false }
        let full = keys.filter { key in
            capacity(key).map { inUse(key) + Int(key.weight) > Int($0) } ?? false || state.jobs.limits.tokens(of: key.unweighted) < 1
        }
        switch reason {
        case .limitTooSmall(let key, let capacity):
            return small.contains { $0 == key } && self.capacity(key) == capacity ? nil : "the limit \(key.text) is no smaller than it"
        case .limitFull(let key, .permits(let count, let capacity)):
            let isRight = full.contains(key) && count == UInt64(inUse(key)) && capacity == self.capacity(key)
            return isRight ? nil : "of the limit \(key.text) \(inUse(key)) permits are taken"
        case .limitFull(let key, .tokens):
            return state.jobs.limits.tokens(of: key.unweighted) < 1 ? nil : "the limit \(key.text) has a token"
        case .limitFull(let key, .reserved(let other)):
            let isOther = other.rawValue != job.id && waiting.contains(other.rawValue)
            let others = isOther ? state.jobs.terms(of: state.jobs[other.rawValue]).options.limitKeys.map(\.unweighted) : []
            return !full.contains(key) && others.contains(key.unweighted) ? nil : "nothing is kept there for job \(other)"
        case .slotsTaken, .suspected:
            if let first = full.first ?? small.first { return "the limit \(first.text) has no room" }
            return (reason == .suspected) == (job.standing == .suspected) ? nil : "it is \(job.standing)"
        case .noWorker, .workersNotReady, .slotsReserved, .keyTaken, .cancelledRunStopping, .restarting, .delayed, .backedOff, .snoozed,
            .paused, .storageFull, nil:
            return "a worker offers its loader"
        }
    }

    private func capacity(_ key: LimitKey) -> UInt32? { state.jobs.limits.rule(of: key.limit)?.capacity }

    private func inUse(_ key: LimitKey) -> Int { inUse[key.unweighted] ?? 0 }
}

extension JobQueue {
    /// What is wrong with why a waiting job is shown to wait, by a look at everything; nil: nothing.
    func waitFault(in turn: FrontTurn) -> String? { WaitCheck(self, in: turn).fault { waitReason($0, in: turn) } }
}
