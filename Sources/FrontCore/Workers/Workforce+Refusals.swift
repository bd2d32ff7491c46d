//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Workforce {
    /// A worker cannot take grants: their slots are free at once.
    ///
    /// One that is only too busy gets them again after its next renewal, or another worker does. What it cannot read or run at all fails
    /// with the code that it gives: the same work would be refused again and again, for ever. A frame that nobody can tell the leases of
    /// had grants that were not listed yet: each of those is sent again by itself.
    mutating func takeRefusal(_ refused: WorkerMessage.RefusedGrants, worker index: Int, queue: inout JobQueue, in turn: inout FrontTurn) {
        guard !refused.leases.isEmpty else { return sendApart(neverSeen(at: index, in: &turn), worker: index, in: &turn) }
        turn.step(refused.leases.count + turn.state.jobs.held(by: index).count)
        let named = Set(refused.leases)
        let jobs = turn.state.jobs.heldJobs(by: index).filter { named.contains(turn.state.jobs[$0].lease) }
        turn.noteLateReports(.leaseNotHeld, named.count - jobs.count)
        var returned: [UInt64] = []
        var ends: [UnreportedEnd] = []
        for id in jobs {
            let record = turn.state.jobs[id]
            if record.state == .cancelling {
                ends.append(UnreportedEnd(job: id, state: .cancelled))
            } else if refused.code == .busy {
                returned.append(id)
            } else {
                let text = "worker \(turn.state.workers[index]?.registration.name ?? "") refused job \(id): \(refused.reason)"
                    .cut(to: MessageBounds.textByteCount)
                let failure = Failure(id: FailureID(id), code: refused.code, text: text, attempts: record.attempts)
                ends.append(UnreportedEnd(job: id, state: .failed, failure: failure))
            }
        }
        queue.end(ends, in: &turn)
        if !returned.isEmpty {
            turn.state.workers.holdBack(index)
            giveBack(returned, .refused, queue: &queue, in: &turn)
        }
        noteWorker(index, in: &turn)
    }

    /// The jobs of a worker whose grants it has not listed and that were not sent again yet.
    private mutating func neverSeen(at index: Int, in turn: inout FrontTurn) -> [UInt64] {
        turn.step(turn.state.jobs.held(by: index).count)
        let sent = turn.state.workers[index]?.sentApart ?? [:]
        return turn.state.jobs.heldJobs(by: index).filter { id in
            !turn.state.jobs[id].flags.contains(.isSeen) && sent[turn.state.jobs[id].lease] == nil
        }
    }
}
