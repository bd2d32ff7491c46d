//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

extension Workforce {
    /// Registers a worker, for the first time or again.
    mutating func register(
        _ envelope: WorkerEnvelope, _ registration: WorkerMessage.Registration, _ peer: PeerID, _ principal: Principal,
        queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        guard let admitted = turn.state.workers.admit(envelope, registration, from: peer, principal, in: &turn.context) else { return }
        // First, or the next turn would go on to take its jobs and forget it.
        endLeaving(envelope.worker, in: &turn)
        // Asked before the entry, which changes the registration that it asks about.
        let wasSilent = turn.state.workers.isSilent(envelope.worker, sent: sent.registrationNumber)
        // What it offered until now it may offer no more.
        if let known = turn.state.workers.index(of: envelope.worker) { turn.noteOffered(by: known) }
        turn.record(.workerRegistered(admitted))
        guard let index = turn.state.workers.index(of: envelope.worker) else { return }
        turn.noteOffered(by: index)
        turn.state.workers.begin(index, envelope, from: peer, wasSilent: wasSilent, in: &turn.context)
        let decisions = decisions(on: registration.held, worker: index, queue: &queue, in: &turn)
        let registered = WorkerBoundMessage.Registered(
            registrationNumber: admitted.registrationNumber, lease: turn.settings.lease,
            renewal: turn.settings.heartbeat, decisions: decisions)
        turn.emit(.sendToWorker(peer, .registered(registered)))
        askToDrain(index, in: &turn)
        noteWorker(index, in: &turn)
    }

    /// What becomes of each lease that the worker still holds, and of those that it should hold but does not.
    private mutating func decisions(
        on held: [WorkerMessage.HeldLease], worker index: Int, queue: inout JobQueue, in turn: inout FrontTurn
    ) -> [WorkerBoundMessage.LeaseDecision] {
        turn.step(held.count)
        var decisions: [WorkerBoundMessage.LeaseDecision] = []
        var kept: [UInt64: UInt64] = [:]
        for lease in held {
            let id = lease.job.rawValue
            guard turn.state.jobs.contains(id), turn.state.jobs[id].place == .held, Int(turn.state.jobs[id].worker) == index,
                kept[id] == nil
            else {
                decisions.append(.init(lease: lease.lease, decision: .drop, renewed: .none))
                continue
            }
            // A new lease for each: what the worker reports under the old one is late from now on.
            let renewed = turn.state.jobs.number { $0.takeLeases() }
            kept[id] = renewed.rawValue
            let isCancelling = turn.state.jobs[id].state == .cancelling
            decisions.append(.init(lease: lease.lease, decision: isCancelling ? .cancel : .keep, renewed: renewed))
        }
        let before = turn.state.jobs.heldJobs(by: index)
        drop(takeBackUnbegun(before.filter { kept[$0] == nil }, queue: &queue, in: &turn), worker: index, queue: &queue, in: &turn)
        turn.state.workers.noteRenewed(index, below: turn.state.jobs.numbers.nextLease)
        // In the order of their grants, whatever the worker's: the first one held stays the one that was granted first.
        var granted = JournalEntry.GrantedJobs(worker: turn.state.workers[index]?.id ?? .none, at: turn.now.wall, isReregistration: true)
        for id in before {
            guard let lease = kept[id] else { continue }
            granted.jobs.append(id)
            granted.leases.append(lease)
        }
        if !granted.jobs.isEmpty { turn.record(.granted(granted)) }
        // It has named them itself.
        for id in granted.jobs { turn.state.jobs.noteSeen(id) }
        return decisions
    }

    /// Takes jobs from a worker that registers without them. It may still be at one of them, and will say so.
    private mutating func drop(_ jobs: [UInt64], worker index: Int, queue: inout JobQueue, in turn: inout FrontTurn) {
        loseDropped(jobs, queue: &queue, in: &turn)
        turn.step(turn.state.workers[index]?.dropped.count ?? 0)
        // A copy shares its storage; the filter cannot read what is being changed.
        let known = turn.state.jobs
        turn.state.workers.drop(jobs, from: index) { known.isAlive($0) }
    }
}

extension Workforce {
    /// Renewals in a row without a lease after which its grant is taken for lost on the way, though nothing shows that the worker has read
    /// past it: as many as there are in a lease, so that a worker that only reads slowly is not sent more to read.
    private static let unreadRenewals: UInt8 = 5
    /// The same of a worker that does not say what it has read. One of them may have been sent before the grant came.
    private static let missedRenewals: UInt8 = 2

    /// A worker is alive, and says which leases it holds and how far it has read: a grant that it has read past without listing it is sent again.
    mutating func renew(
        _ index: Int, _ number: RenewalNumber, _ leases: [UInt64], _ readBelow: LeaseID, _ peer: PeerID, queue: inout JobQueue,
        in turn: inout FrontTurn
    ) {
        let wasOverdue = turn.state.workers[index]?.isOverdue
        guard turn.state.workers.renew(index, number, from: peer, in: &turn.context), let worker = turn.state.workers[index] else { return }
        if worker.isOverdue != wasOverdue { noteWorker(index, in: &turn) }
        let reported = Set(leases)
        // Also what it does not list: an empty renewal of a worker that holds thousands looks at each.
        turn.step(leases.count + turn.state.jobs.held(by: index).count)
        var cancels: [UInt64] = []
        var again: [UInt64] = []
        var lost: [UInt64] = []
        var unseen: [UInt64: MonotonicTime] = [:]
        for id in turn.state.jobs.heldJobs(by: index) {
            let record = turn.state.jobs[id]
            if record.state == .cancelling, !record.flags.contains(.isStopping) { cancels.append(record.lease) }
            if reported.contains(record.lease) {
                turn.state.jobs.noteSeen(id)
            } else if grantsAreLate(in: turn) {
                // It may not have left: nobody can have seen it.
                if worker.sentApart[record.lease] != nil { unseen[record.lease] = unseenEnd(in: turn) }
            } else if let until = worker.sentApart[record.lease] {
                if turn.now.monotonic >= until { lost.append(id) } else { unseen[record.lease] = until }
            } else if record.lease < readBelow.rawValue {
                again.append(id)
            } else {
                let limit = readBelow == .none ? Self.missedRenewals : Self.unreadRenewals
                if turn.state.jobs.noteMissed(id) >= limit { again.append(id) }
            }
        }
        // All anew: what was listed, or has ended, waits for nothing more.
        turn.state.workers.noteSentApart(index) { $0 = unseen }
        if !cancels.isEmpty { turn.emit(.sendToWorker(peer, .renewed(number, cancels: cancels))) }
        // With each renewal until the worker reports that it drains: what waits for a connection is lost with it.
        askToDrain(index, in: &turn)
        sendApart(again, worker: index, in: &turn)
        loseUnseen(lost, queue: &queue, in: &turn)
    }

    /// Whether a slow disk holds decisions back for so long that a renewal may have been sent before a grant could leave.
    private func grantsAreLate(in turn: FrontTurn) -> Bool { undurable >= turn.settings.heartbeat }

    /// When a grant that is sent now and stays unlisted is taken for lost.
    private func unseenEnd(in turn: FrontTurn) -> MonotonicTime {
        turn.now.monotonic.advanced(by: turn.settings.lease * 2 + turn.settings.grace)
    }

    /// Sends grants again, each by itself and in a frame of its own: what makes one of them unreadable takes no other with it. Of many the
    /// oldest are sent that one message could hold; the next renewal shows the others.
    ///
    /// One that stays unseen counts against its job. The worker starts it only within the lease that the named renewal gives, and what it then
    /// runs lasts one lease more unless a renewal lists it: for two leases the slot stays taken.
    mutating func sendApart(_ jobs: [UInt64], worker index: Int, in turn: inout FrontTurn) {
        guard !jobs.isEmpty else { return }
        let until = unseenEnd(in: turn)
        var room = turn.settings.bounds.grantByteCount
        for id in jobs.prefix(turn.settings.bounds.grantJobs) {
            guard room > 0 else { return }
            let byteCount = turn.state.jobs[id].leastGrantedByteCount + carriedByteCount(of: id, in: &turn)
            room -= byteCount
            turn.step(TurnContext.rowSteps + byteCount / TurnContext.copiedPerStep)
            turn.state.jobs.forgetMissed(id)
            let lease = turn.state.jobs[id].lease
            turn.state.workers.noteSentApart(index) { $0[lease] = until }
            sendGrant([id], worker: index, isApart: true, in: &turn)
        }
    }
}

extension Workforce {
    /// Somebody asks that a worker take no new jobs and end with its last one.
    ///
    /// From this turn on it gets none, and that stays so over restarts of the front, and where the worker comes back after its lease was over.
    /// Who asks again when it has gone learns whether it may: one that is lost drains already, one that has ended is not known.
    mutating func drain(_ id: WorkerID, in turn: inout FrontTurn) -> Reply {
        if turn.state.workers.drained.contains(id) { return .done(version: 0) }
        guard let index = turn.state.workers.index(of: id), let worker = turn.state.workers[index], !worker.isLeaving else {
            return .refusal(.unknownItem, "no worker \(id) is registered: look at the list of workers")
        }
        guard !worker.isDrainAsked else { return .done(version: 0) }
        turn.record(worker.entry(drains: true))
        turn.state.workers.drain(index, isReported: false)
        askToDrain(index, in: &turn)
        noteWorker(index, in: &turn)
        return .done(version: 0)
    }

    /// Asks a worker to drain, again after each renewal until it reports that it does, since the message may be lost.
    private func askToDrain(_ index: Int, in turn: inout FrontTurn) {
        guard let worker = turn.state.workers[index], worker.awaitsDrain, worker.peer != .none else { return }
        turn.emit(.sendToWorker(worker.peer, .drain))
    }
}
