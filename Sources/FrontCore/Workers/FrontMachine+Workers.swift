//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Takes so many of a worker's messages, in order.
    mutating func workerSpoke(
        _ peer: PeerID, _ principal: Principal, _ envelope: WorkerEnvelope, from: Int, count: Int
    ) {
        for message in envelope.messages.dropFirst(from).prefix(count) {
            turn.step()
            if case .register(let registration) = message {
                register(envelope, registration, peer, principal)
                continue
            }
            guard let index = attachedWorker(envelope, at: peer), let worker = state.workers[index] else {
                // It may be a registration: who is only asked for another one would repeat it for ever.
                if isNotUnderstood(message, peer) { continue }
                turn.emit(.tellWorker(peer, .registerAgain))
                return
            }
            if worker.spokenUnder != envelope.attachment { state.workers[index]?.spokenUnder = envelope.attachment }
            take(message, from: index, peer)
        }
        if count < envelope.messages.count - from { turn.emit(.goOn(peer, .none, from: from + count)) }
    }

    /// The worker that a frame is of; nil: it has to register first.
    ///
    /// An attachment belongs to the connection that registered with the worker's secret. Id, epoch and numbers of attachments are public or
    /// easily guessed: who only knows them may end nobody's jobs, forge no outcome and take nobody's grants.
    private func attachedWorker(_ envelope: WorkerEnvelope, at peer: PeerID) -> Int? {
        guard let index = state.workerIndexes[envelope.worker], let worker = state.workers[index], worker.isAttached, worker.peer == peer,
            worker.attachment == envelope.attachment, envelope.epoch == turn.settings.epoch
        else { return nil }
        return index
    }

    /// The newest renewal of a frame that has to wait: it keeps the lease, and is answered. What else a renewal tells is seen in the next one that
    /// need not wait, or grants would be sent again and again while nothing can leave.
    mutating func workerWaits(_ peer: PeerID, _ envelope: WorkerEnvelope) {
        turn.step(envelope.messages.count)
        guard let index = attachedWorker(envelope, at: peer), let worker = state.workers[index] else { return }
        var newest = worker.renewal
        for case .renewal(let number, _) in envelope.messages { newest = max(newest, number) }
        guard newest > worker.renewal else { return }
        state.workers[index]?.renewal = newest
        // The answer lets it begin what it was granted: a registration that it had sent before, and that waits unread, says nothing of that.
        state.workers[index]?.spokenUnder = worker.attachment
        extendLease(index)
        turn.emit(.echo(peer, newest))
    }

    private mutating func take(_ message: WorkerMessage, from index: Int, _ peer: PeerID) {
        switch message {
        case .register: break
        case .renewal(let number, let leases): renew(index, number, leases, peer)
        case .started: break
        case .progress(let reports): takeProgress(reports, worker: index)
        case .ended(let ended): takeEnded(ended, worker: index, peer)
        case .cancelStep(let lease, let step): cancelStep(lease, step, worker: index)
        case .overdue(let jobs): takeOverdue(jobs, worker: index)
        case .draining:
            state.workers[index]?.isDraining = true
            noteWorker(index)
        case .goodbye: sayGoodbye(index)
        case .refusedGrants(let refused): takeRefusal(refused, worker: index)
        case .unknown, .unreadable: _ = isNotUnderstood(message, peer)
        }
    }

    /// Answers and counts a message that cannot be taken; false: it can.
    private mutating func isNotUnderstood(_ message: WorkerMessage, _ peer: PeerID) -> Bool {
        let refused: Refused
        switch message {
        case .register, .renewal, .started, .progress, .ended, .cancelStep, .overdue, .draining, .goodbye, .refusedGrants: return false
        case .unknown: refused = turn.refuseMalformed(nil)
        case .unreadable(let error): refused = turn.refuseMalformed(error)
        }
        turn.emit(.tellWorker(peer, .refused(refused)))
        return true
    }

    /// A worker says which dropped work has not ended there. Its death will count against those jobs, so it may name only what was taken from
    /// itself: of others it takes nothing but its own readiness for more.
    private mutating func takeOverdue(_ jobs: [UInt64], worker index: Int) {
        turn.step(jobs.count)
        state.workers[index]?.isOverdue = !jobs.isEmpty
        state.workers[index]?.dropped.formIntersection(jobs)
        noteWorker(index)
    }

    /// Tells observers that a worker's item has changed.
    mutating func noteWorker(_ index: Int) {
        guard let id = state.workers[index]?.id else { return }
        turn.emit(.changed(.workers, key: "worker/\(id)"))
    }
}
