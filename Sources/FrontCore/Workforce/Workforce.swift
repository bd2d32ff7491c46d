//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Decides about workers and what they hold: which worker gets a job, and what follows from a report, a renewal or a loss.
///
/// Who is registered is durable, and `WorkerSessions` knows it; here is what only this epoch knows.
struct Workforce {
    /// What has left the front: nobody can have acted upon anything later.
    private(set) var sent = DecisionMark(lease: 1, registrationNumber: 1)
    /// How long the oldest decision had waited to be durable when the last turn was read.
    private(set) var undurable = Duration.zero
    /// Jobs of lost workers that were looked at in this turn.
    var lossLooks = 0
    /// Bytes of lines that this turn has taken.
    var loggedByteCount = 0
    /// Jobs that lost workers had named as work that they could not stop, by the worker's index, the first one last: that crash still has
    /// to be counted against them. A restart forgets that, as it does what living workers have named.
    var culprits: [Int: [UInt64]] = [:]
    /// Lost workers that drained when they were lost, by their index, while something is still to be taken from them.
    var drainedWhenLost: Set<Int> = []

    /// An epoch begins, and an entry names it: leases are counted from its beginning.
    mutating func begin(queue: inout JobQueue, in turn: inout FrontTurn) {
        let boot = turn.settings.boot
        turn.record(
            .epochBegan(
                JournalEntry.EpochBegan(epoch: turn.settings.epoch, bootID: boot.id, bootMilliseconds: boot.uptime.wholeMilliseconds)))
        turn.state.workers.begin(in: &turn.context)
        // Behind the leases of all, since those that were lost before wait for none.
        resumeLosses(in: &turn)
        guard turn.settings.durability == .memory, let last = turn.state.workers.all.map(\.leaseEnd).max() else { return }
        queue.pauseGrants(for: GrantPause(last.duration(since: turn.now.monotonic), from: turn.now))
        turn.check(.grants, by: last)
    }

    /// All that had come was read and dealt with.
    mutating func endTurn() { (lossLooks, loggedByteCount) = (0, 0) }

    /// Decisions up to there have left, or may have in an earlier epoch.
    mutating func noteSent(_ mark: DecisionMark) { sent = mark }

    /// A turn was read.
    mutating func note(_ reading: TurnReading) { undurable = reading.undurable }
}

extension Workforce {
    /// Handles a message of a worker; false: the rest of its envelope is dropped, and the worker got the reason.
    mutating func receive(
        _ message: WorkerMessage, of envelope: WorkerEnvelope, from peer: PeerID, _ principal: Principal, queue: inout JobQueue,
        in turn: inout FrontTurn
    ) -> Bool {
        if case .register(let registration) = message {
            register(envelope, registration, peer, principal, queue: &queue, in: &turn)
            return true
        }
        guard let index = turn.state.workers.registered(envelope, at: peer, turn.settings.epoch) else {
            // It may be a registration: a worker that is only asked for another one would repeat it for ever.
            if isNotUnderstood(message, peer, in: &turn) { return true }
            turn.context.noteIgnored(.notRegistered)
            turn.emit(.sendToWorker(peer, .reregister))
            return false
        }
        turn.state.workers.receive(index)
        take(message, from: index, peer, queue: &queue, in: &turn)
        return true
    }

    private mutating func take(_ message: WorkerMessage, from index: Int, _ peer: PeerID, queue: inout JobQueue, in turn: inout FrontTurn) {
        switch message {
        case .register: break
        case .renewal(let number, let leases, let readBelow):
            renew(index, number, leases, readBelow, peer, queue: &queue, in: &turn)
        case .progress(let reports): takeProgress(reports, worker: index, queue: &queue, in: &turn)
        case .ended(let ended): takeEnded(ended, worker: index, peer, queue: &queue, in: &turn)
        case .cancelStep(let lease, let step): cancelStep(lease, step, worker: index, queue: &queue, in: &turn)
        case .overdue(let jobs): takeOverdue(jobs, worker: index, in: &turn)
        case .draining:
            turn.state.workers.drain(index, isReported: true)
            noteWorker(index, in: &turn)
        case .close(let takenBelow): closeRegistration(index, takenBelow, queue: &queue, in: &turn)
        case .log(let reports): takeLogs(reports, worker: index, in: &turn)
        case .refusedGrants(let refused): takeRefusal(refused, worker: index, queue: &queue, in: &turn)
        case .unknown, .unreadable: _ = isNotUnderstood(message, peer, in: &turn)
        }
    }

    /// Answers and counts a message that cannot be taken; false: it can.
    private mutating func isNotUnderstood(_ message: WorkerMessage, _ peer: PeerID, in turn: inout FrontTurn) -> Bool {
        let refused: Refused
        switch message {
        case .register, .renewal, .progress, .ended, .cancelStep, .overdue, .draining, .close, .refusedGrants, .log: return false
        case .unknown: refused = turn.context.refuseMalformed(nil)
        case .unreadable(let error): refused = turn.context.refuseMalformed(error)
        }
        turn.emit(.sendToWorker(peer, .refused(refused)))
        return true
    }

    /// A worker says which dropped work has not ended there: of others than those that were taken from it it takes nothing but its own readiness.
    private mutating func takeOverdue(_ jobs: [UInt64], worker index: Int, in turn: inout FrontTurn) {
        turn.step(jobs.count)
        turn.state.workers.noteOverdue(index, jobs)
        noteWorker(index, in: &turn)
    }

    /// A worker has come a step further with a cancel.
    private mutating func cancelStep(
        _ lease: LeaseID, _ step: WorkerMessage.CancelStep, worker index: Int, queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        // The lease is looked for along the held jobs.
        turn.step(turn.state.jobs.held(by: index).count / TurnContext.scansPerStep)
        let held = turn.state.jobs.heldJob(lease: lease.rawValue, worker: index)
        if let held { turn.state.jobs.noteSeen(held) }
        guard let id = held, turn.state.jobs.cancels[id] != nil || step.isOfTimeouts else { return turn.noteLateReports(.leaseNotHeld) }
        if turn.state.jobs.cancels[id] != nil {
            turn.state.jobs.noteCancel(of: id, step, at: turn.now.wall)
        } else {
            queue.noteStop(of: id, step, in: turn)
        }
        queue.noteJob(id, ItemKey.job, in: &turn)
    }

    /// Notifies observers that a worker's item has changed.
    mutating func noteWorker(_ index: Int, in turn: inout FrontTurn) { turn.state.workers.notify(index, in: &turn.context) }
}

extension WorkerMessage.CancelStep {
    /// Whether a worker takes it for a run that nobody has cancelled.
    fileprivate var isOfTimeouts: Bool {
        switch self {
        case .delivered, .stopping: false
        case .timedOut, .killed, .ending: true
        }
    }
}

extension Workforce {
    /// An item of the topic of all workers; nil: there is no such worker.
    func item(_ key: String, in turn: FrontTurn) -> ItemValue? {
        guard let id: WorkerID = ItemKey.worker(key), let index = turn.state.workers.index(of: id),
            let record = turn.state.workers[index]
        else { return nil }
        var summary = WorkerSummary(id: id, name: record.registration.name, slots: record.registration.slots)
        summary.processID = record.registration.processID
        if let holding = turn.state.jobs.holding(of: index) {
            summary.slotsTaken = UInt32(max(0, holding.slotsTaken))
            summary.prefetched = UInt32(max(0, holding.bulkHeld))
        }
        summary.loaders = record.registration.loaders.map(\.name)
        summary.state = record.shown
        return .worker(summary)
    }
}
