//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Jobs granted to one worker in this turn.
    struct GrantBatch {
        var jobs: [UInt64] = []
        var leases: [UInt64] = []
    }

    /// Hands waiting jobs to workers: the smallest rank first, each to the worker with the most room.
    mutating func dispatch(into actions: inout [FrontAction]) {
        guard !storageIsFull, !state.lanes.isEmpty || !state.suspects.isEmpty, mayGrant() else { return }
        var batches: [Int: GrantBatch] = [:]
        if !state.suspects.isEmpty { dispatchSuspects(&batches, into: &actions) } else { reservedWorker = nil }
        // Room only shrinks from here: what nobody has room for is not compared again and again.
        step(state.loaderNames.count / 64)
        var open = state.loaderNames.indices.filter { state.lanes.hasWaiting(loader: $0) && roomiest(for: $0) != nil }
        while !open.isEmpty {
            guard let loader = open.min(by: { before($0, $1, in: state.lanes) }) else { break }
            guard let index = roomiest(for: loader) else {
                open.removeAll { $0 == loader }
                continue
            }
            let isShort = state.workers[index]?.offer(loader)?.isShort ?? false
            take(isShort ? 64 : 1, ofLoader: loader, worker: index, &batches, into: &actions)
            if !state.lanes.hasWaiting(loader: loader) { open.removeAll { $0 == loader } }
        }
        for index in batches.keys.sorted() {
            if let batch = batches[index] { announce(batch, worker: index, into: &actions) }
        }
    }

    private func before(_ one: Int, _ two: Int, in lanes: JobLanes) -> Bool {
        let (first, second) = (lanes.first(ofLoader: one, in: state.jobs), lanes.first(ofLoader: two, in: state.jobs))
        return (state.jobs[first].rank, first) < (state.jobs[second].rank, second)
    }

    /// The attached worker with room for a loader that has the least to do.
    private func roomiest(for loader: Int) -> Int? {
        var best: Int?
        var bestLoad = Int.max
        for index in state.workers.indices where index != reservedWorker {
            guard let worker = state.workers[index], worker.takesJobs, let offer = worker.offer(loader), worker.hasRoom(for: offer)
            else { continue }
            let load = offer.isShort ? worker.shortHeld : worker.slotsTaken * 1_024 / Int(worker.registration.slots)
            if load < bestLoad { (best, bestLoad) = (index, load) }
        }
        return best
    }

    private mutating func take(
        _ count: Int, ofLoader loader: Int, worker index: Int, _ batches: inout [Int: GrantBatch], into actions: inout [FrontAction]
    ) {
        guard let offer = state.workers[index]?.offer(loader) else { return }
        var left = count
        while left > 0, state.workers[index]?.hasRoom(for: offer) == true {
            let id = state.lanes.first(ofLoader: loader, in: state.jobs)
            guard id != 0 else { return }
            give(id, to: index, &batches, into: &actions)
            left -= 1
        }
    }

    /// Gives one job to a worker; the fact and the message follow with the others of the turn.
    private mutating func give(_ id: UInt64, to index: Int, _ batches: inout [Int: GrantBatch], into actions: inout [FrontAction]) {
        let lease = takeLease(into: &actions).rawValue
        state.detach(id)
        state.jobs[id].attempts += 1
        state.jobs[id].changedAt = now.wall.milliseconds
        state.hold(id, worker: index, lease: lease, state: .running)
        batches[index, default: GrantBatch()].jobs.append(id)
        batches[index, default: GrantBatch()].leases.append(lease)
    }

    /// Writes down and sends what a worker was given.
    private mutating func announce(_ batch: GrantBatch, worker index: Int, into actions: inout [FrontAction]) {
        guard let worker = state.workers[index] else { return }
        reserveIDs(into: &actions)
        var granted = Fact.GrantedJobs(worker: worker.id, at: now.wall)
        granted.jobs = batch.jobs
        granted.leases = batch.leases
        journal(.granted(granted), into: &actions)
        sendGrant(batch.jobs, worker: index, into: &actions)
        for id in batch.jobs where !state.jobs[id].flags.contains(.isShort) {
            list(id, into: &actions)
            feedJobGranted(id, into: &actions)
        }
        if !observedJobs.isEmpty {
            for id in batch.jobs { noteJob(id, "job", into: &actions) }
        }
        noteWorker(index, into: &actions)
    }

    /// Suspected jobs run alone: one worker is kept free for them, and takes one at a time.
    ///
    /// The smallest rank first of those that a worker here can run: one that nobody offers holds up no other.
    private mutating func dispatchSuspects(_ batches: inout [Int: GrantBatch], into actions: inout [FrontAction]) {
        let open = state.loaderNames.indices.filter { loader in
            state.suspects.hasWaiting(loader: loader) && state.workers.indices.contains { canServe($0, loader) }
        }
        step(state.loaderNames.indices.count / 64 + (open.count + 1) * state.workers.count / 8)
        guard let loader = open.min(by: { before($0, $1, in: state.suspects) }) else { return reservedWorker = nil }
        if let index = reservedWorker, !canServe(index, loader) { reservedWorker = nil }
        if reservedWorker == nil {
            let candidates = state.workers.indices.filter { canServe($0, loader) }
            reservedWorker = candidates.min { load($0) < load($1) }
        }
        guard let index = reservedWorker, load(index) == 0 else { return }
        give(state.suspects.first(ofLoader: loader, in: state.jobs), to: index, &batches, into: &actions)
    }

    private func canServe(_ index: Int, _ loader: Int) -> Bool {
        guard let worker = state.workers[index] else { return false }
        return worker.takesJobs && worker.offer(loader) != nil
    }

    private func load(_ index: Int) -> Int { state.workers[index]?.held.count ?? 0 }
}
