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
            guard let index = state.workers.attached(envelope, at: peer, turn.settings.epoch) else {
                // It may be a registration: who is only asked for another one would repeat it for ever.
                if isNotUnderstood(message, peer) { continue }
                turn.noteLate(.notAttached)
                turn.emit(.tellWorker(peer, .registerAgain))
                return
            }
            state.workers.hear(index)
            take(message, from: index, peer)
        }
        if count < envelope.messages.count - from { turn.emit(.goOn(peer, .none, from: from + count)) }
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
            state.workers.drain(index)
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

    /// A worker says which dropped work has not ended there: of others than those that were taken from it it takes nothing but its own readiness.
    private mutating func takeOverdue(_ jobs: [UInt64], worker index: Int) {
        turn.step(jobs.count)
        state.workers.noteOverdue(index, jobs)
        noteWorker(index)
    }

    /// Tells observers that a worker's item has changed.
    mutating func noteWorker(_ index: Int) { state.workers.tell(index, in: &turn) }
}
