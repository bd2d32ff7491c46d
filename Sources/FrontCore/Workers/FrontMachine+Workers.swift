//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Takes so many of a worker's messages, in order.
    mutating func workerSpoke(
        _ peer: PeerID, _ principal: Principal, _ envelope: WorkerEnvelope, from: Int, count: Int, into actions: inout [FrontAction]
    ) {
        for message in envelope.messages.dropFirst(from).prefix(count) {
            step()
            if case .register(let registration) = message {
                register(envelope, registration, peer, principal, into: &actions)
                continue
            }
            guard let index = attachedWorker(envelope, at: peer), let worker = state.workers[index] else {
                // It may be a registration: who is only asked for another one would repeat it for ever.
                if isNotUnderstood(message, peer, into: &actions) { continue }
                actions.append(.tellWorker(peer, .registerAgain))
                return
            }
            if worker.spokenUnder != envelope.attachment { state.workers[index]?.spokenUnder = envelope.attachment }
            take(message, from: index, peer, into: &actions)
        }
        if count < envelope.messages.count - from { actions.append(.goOn(peer, .none, from: from + count)) }
    }

    /// The worker that a frame is of; nil: it has to register first.
    ///
    /// An attachment belongs to the connection that registered with the worker's secret. Id, epoch and numbers of attachments are public or
    /// easily guessed: who only knows them may end nobody's jobs, forge no outcome and take nobody's grants.
    private func attachedWorker(_ envelope: WorkerEnvelope, at peer: PeerID) -> Int? {
        guard let index = state.workerIndexes[envelope.worker], let worker = state.workers[index], worker.isAttached, worker.peer == peer,
            worker.attachment == envelope.attachment, envelope.epoch == settings.epoch
        else { return nil }
        return index
    }

    /// The newest renewal of a frame that has to wait: it keeps the lease, and is answered. What else a renewal tells is seen in the next one that
    /// need not wait, or grants would be sent again and again while nothing can leave.
    mutating func workerWaits(_ peer: PeerID, _ envelope: WorkerEnvelope, into actions: inout [FrontAction]) {
        step(envelope.messages.count)
        guard let index = attachedWorker(envelope, at: peer), let worker = state.workers[index] else { return }
        var newest = worker.renewal
        for case .renewal(let number, _) in envelope.messages { newest = max(newest, number) }
        guard newest > worker.renewal else { return }
        state.workers[index]?.renewal = newest
        // The answer lets it begin what it was granted: a registration that it had sent before, and that waits unread, says nothing of that.
        state.workers[index]?.spokenUnder = worker.attachment
        extendLease(index)
        actions.append(.echo(peer, newest))
    }

    private mutating func take(_ message: WorkerMessage, from index: Int, _ peer: PeerID, into actions: inout [FrontAction]) {
        switch message {
        case .register: break
        case .renewal(let number, let leases): renew(index, number, leases, peer, into: &actions)
        case .started: break
        case .progress(let reports): takeProgress(reports, worker: index, into: &actions)
        case .ended(let ended): takeEnded(ended, worker: index, peer, into: &actions)
        case .cancelStep(let lease, let step): cancelStep(lease, step, worker: index, into: &actions)
        case .overdue(let jobs): takeOverdue(jobs, worker: index, into: &actions)
        case .draining:
            state.workers[index]?.isDraining = true
            noteWorker(index, into: &actions)
        case .goodbye: sayGoodbye(index, into: &actions)
        case .refusedGrants(let refused): takeRefusal(refused, worker: index, into: &actions)
        case .unknown, .unreadable: _ = isNotUnderstood(message, peer, into: &actions)
        }
    }

    /// Answers and counts a message that cannot be taken; false: it can.
    private mutating func isNotUnderstood(_ message: WorkerMessage, _ peer: PeerID, into actions: inout [FrontAction]) -> Bool {
        let refused: Refused
        switch message {
        case .register, .renewal, .started, .progress, .ended, .cancelStep, .overdue, .draining, .goodbye, .refusedGrants: return false
        case .unknown: refused = refuseMalformed(nil, into: &actions)
        case .unreadable(let error): refused = refuseMalformed(error, into: &actions)
        }
        actions.append(.tellWorker(peer, .refused(refused)))
        return true
    }

    /// A worker says which dropped work has not ended there. Its death will count against those jobs, so it may name only what was taken from
    /// itself: of others it takes nothing but its own readiness for more.
    private mutating func takeOverdue(_ jobs: [UInt64], worker index: Int, into actions: inout [FrontAction]) {
        step(jobs.count)
        state.workers[index]?.isOverdue = !jobs.isEmpty
        state.workers[index]?.dropped.formIntersection(jobs)
        noteWorker(index, into: &actions)
    }

    /// Tells observers that a worker's item has changed.
    func noteWorker(_ index: Int, into actions: inout [FrontAction]) {
        guard let id = state.workers[index]?.id else { return }
        actions.append(.changed(.workers, key: "worker/\(id)"))
    }
}
