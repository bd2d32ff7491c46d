//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// A worker cannot take grants: their slots are free at once.
    ///
    /// One that is only too busy gets them again after its next renewal, or another worker does. What it cannot read or run at all fails
    /// with the code that it gives: the same work would be refused again and again, for ever. A frame that nobody can tell the leases of
    /// had grants that were not listed yet: each of those is sent again by itself.
    mutating func takeRefusal(_ refused: WorkerMessage.RefusedGrants, worker index: Int) {
        guard !refused.leases.isEmpty else { return sendApart(neverSeen(at: index), worker: index) }
        turn.step(refused.leases.count + state.jobs.held(by: index).count)
        let named = Set(refused.leases)
        let jobs = state.jobs.heldJobs(by: index).filter { named.contains(state.jobs[$0].lease) }
        turn.noteLateReports(.leaseNotHeld, named.count - jobs.count)
        var returned: [UInt64] = []
        var ends: [UnreportedEnd] = []
        for id in jobs {
            let record = state.jobs[id]
            if record.state == .cancelling {
                ends.append(UnreportedEnd(job: id, state: .cancelled))
            } else if refused.code == .busy {
                returned.append(id)
            } else {
                let text = "worker \(state.workers[index]?.registration.name ?? "") refused job \(id): \(refused.reason)"
                    .cut(to: MessageBounds.textByteCount)
                let failure = Failure(id: FailureID(id), code: refused.code, text: text, attempts: record.attempts)
                ends.append(UnreportedEnd(job: id, state: .failed, failure: failure))
            }
        }
        end(ends)
        if !returned.isEmpty {
            state.workers.holdBack(index)
            giveBack(returned)
        }
        noteWorker(index)
    }

    /// The jobs of a worker whose grants it has not listed and that were not sent again yet.
    private mutating func neverSeen(at index: Int) -> [UInt64] {
        turn.step(state.jobs.held(by: index).count)
        let sent = state.workers[index]?.sentApart ?? [:]
        return state.jobs.heldJobs(by: index).filter { id in
            !state.jobs[id].flags.contains(.isSeen) && sent[state.jobs[id].lease] == nil
        }
    }
}
