//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Workforce {
    /// Attaches a worker, for the first time or again.
    mutating func register(
        _ envelope: WorkerEnvelope, _ registration: WorkerMessage.Registration, _ peer: PeerID, _ principal: Principal,
        queue: inout JobQueue, in turn: inout FrontTurn
    ) {
        guard let admitted = turn.state.workers.admit(envelope, registration, from: peer, principal, in: &turn.context) else { return }
        endLeaving(envelope.worker, in: &turn)
        let wasSilent = turn.state.workers.isSilent(envelope.worker, sent: sent.registrationNumber)
        turn.record(.workerRegistered(admitted))
        guard let index = turn.state.workers.index(of: envelope.worker) else { return }
        turn.state.workers.begin(index, envelope, from: peer, wasSilent: wasSilent, in: &turn.context)
        let decisions = decisions(on: registration.held, worker: index, queue: &queue, in: &turn)
        let registered = WorkerBoundMessage.Registered(
            registrationNumber: admitted.registrationNumber, lease: turn.settings.lease,
            renewal: turn.settings.heartbeat, decisions: decisions)
        turn.emit(.sendToWorker(peer, .registered(registered)))
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
            let renewed = turn.state.jobs.number { $0.takeLeases() }
            kept[id] = renewed.rawValue
            let isCancelling = turn.state.jobs[id].state == .cancelling
            decisions.append(.init(lease: lease.lease, decision: isCancelling ? .cancel : .keep, renewed: renewed))
        }
        let before = turn.state.jobs.heldJobs(by: index)
        drop(takeBackUnsent(before.filter { kept[$0] == nil }, queue: &queue, in: &turn), worker: index, queue: &queue, in: &turn)
        // In the order of their grants, whatever the worker's: the first one held stays the one that was granted first.
        var granted = JournalEntry.GrantedJobs(worker: turn.state.workers[index]?.id ?? .none, at: turn.now.wall, isReregistration: true)
        for id in before {
            guard let lease = kept[id] else { continue }
            granted.jobs.append(id)
            granted.leases.append(lease)
        }
        if !granted.jobs.isEmpty { turn.record(.granted(granted)) }
        for id in granted.jobs { turn.state.jobs.noteSeen(id) }
        return decisions
    }

    /// Takes jobs from a worker that registers without them. It may still be at one of them, and will say so.
    private mutating func drop(_ jobs: [UInt64], worker index: Int, queue: inout JobQueue, in turn: inout FrontTurn) {
        loseDropped(jobs, queue: &queue, in: &turn)
        turn.step(turn.state.workers[index]?.dropped.count ?? 0)
        let known = turn.state.jobs
        turn.state.workers.drop(jobs, from: index) { known.isAlive($0) }
    }
}
