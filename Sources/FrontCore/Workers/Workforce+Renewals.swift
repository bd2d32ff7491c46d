//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Workforce {
    /// Renewals in a row without a lease after which its grant is taken for lost on the way, though nothing says that the worker has read past
    /// it: as many as there are in a lease, so that who only reads slowly is not sent more to read.
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
        turn.state.workers.noteSentApart(index) { $0 = unseen }
        if !cancels.isEmpty { turn.emit(.sendToWorker(peer, .renewed(number, cancels: cancels))) }
        sendApart(again, worker: index, in: &turn)
        loseUnseen(lost, queue: &queue, in: &turn)
    }

    /// Whether a slow disk holds decisions back for so long that a renewal may have been sent before a grant could leave.
    private func grantsAreLate(in turn: FrontTurn) -> Bool { undurable >= turn.settings.heartbeat }

    /// When a grant that is sent now and stays unseen is given up.
    private func unseenEnd(in turn: FrontTurn) -> MonotonicTime {
        turn.now.monotonic.advanced(by: turn.settings.lease * 2 + turn.settings.grace)
    }

    /// Sends grants again, each by itself and in a frame of its own: what makes one of them unreadable takes no other with it. Of many the oldest
    /// are sent that one message could hold; the next renewal tells of the others.
    ///
    /// One that stays unseen counts against its job. The worker starts it only within the lease that the named renewal gives, and what it then
    /// runs lasts one lease more unless a renewal lists it: for two leases the slot stays taken.
    mutating func sendApart(_ jobs: [UInt64], worker index: Int, in turn: inout FrontTurn) {
        guard !jobs.isEmpty else { return }
        let until = unseenEnd(in: turn)
        var room = turn.settings.bounds.grantByteCount
        for id in jobs.prefix(turn.settings.bounds.grantJobs) {
            guard room > 0 else { return }
            let byteCount = RoughSize.grant + turn.state.jobs[id].argument.byteCount
            room -= byteCount
            turn.step(TurnContext.rowSteps + byteCount / TurnContext.copiedPerStep)
            turn.state.jobs.forgetMissed(id)
            let lease = turn.state.jobs[id].lease
            turn.state.workers.noteSentApart(index) { $0[lease] = until }
            sendGrant([id], worker: index, isApart: true, in: &turn)
        }
    }
}
