//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Takes so many of a worker's messages, in order.
    mutating func workerSpoke(_ peer: PeerID, _ envelope: WorkerEnvelope, from: Int, count: Int, into actions: inout [FrontAction]) {
        for message in envelope.messages.dropFirst(from).prefix(count) {
            step()
            if case .register(let registration) = message {
                register(envelope, registration, peer, into: &actions)
                continue
            }
            guard let index = state.workerIndexes[envelope.worker], let worker = state.workers[index], worker.isAttached,
                worker.attachment == envelope.attachment, envelope.epoch == settings.epoch
            else {
                actions.append(.tellWorker(peer, .registerAgain))
                return
            }
            if worker.peer != peer { state.workers[index]?.peer = peer }
            if worker.spokenUnder != envelope.attachment { state.workers[index]?.spokenUnder = envelope.attachment }
            take(message, from: index, peer, into: &actions)
        }
        if count < envelope.messages.count - from { actions.append(.goOn(peer, .none, from: from + count)) }
    }

    /// The renewals of a frame that has to wait: they keep the lease, and are answered. What else a renewal tells is seen in the next one that
    /// need not wait, or grants would be sent again and again while nothing can leave.
    mutating func workerWaits(_ peer: PeerID, _ envelope: WorkerEnvelope, into actions: inout [FrontAction]) {
        step(envelope.messages.count)
        guard let index = state.workerIndexes[envelope.worker], let worker = state.workers[index], worker.isAttached,
            worker.attachment == envelope.attachment, envelope.epoch == settings.epoch
        else { return }
        for case .renewal(let number, _) in envelope.messages where number > state.workers[index]?.renewal ?? .none {
            state.workers[index]?.renewal = number
            extendLease(index)
            actions.append(.echo(peer, number))
        }
    }

    private mutating func take(_ message: WorkerMessage, from index: Int, _ peer: PeerID, into actions: inout [FrontAction]) {
        switch message {
        case .register: break
        case .renewal(let number, let leases): renew(index, number, leases, peer, into: &actions)
        case .started: break
        case .progress(let reports): takeProgress(reports, worker: index, into: &actions)
        case .ended(let ended): takeEnded(ended, worker: index, peer, into: &actions)
        case .cancelStep(let lease, let step): cancelStep(lease, step, worker: index, into: &actions)
        case .overdue(let jobs):
            state.workers[index]?.overdue = jobs
            noteWorker(index, into: &actions)
        case .draining:
            state.workers[index]?.isDraining = true
            noteWorker(index, into: &actions)
        case .goodbye: sayGoodbye(index, into: &actions)
        case .refusedGrants: break
        case .unknown:
            let reason = "this front speaks protocol version \(ProtocolVersion.current)"
            actions.append(.tellWorker(peer, .refused(Refused(reason: reason, code: .invalidData))))
        case .unreadable(let error): actions.append(.tellWorker(peer, .refused(Refused(error))))
        }
    }

    /// Attaches a worker, for the first time or again.
    private mutating func register(
        _ envelope: WorkerEnvelope, _ registration: WorkerMessage.Registration, _ peer: PeerID, into actions: inout [FrontAction]
    ) {
        let id = envelope.worker
        guard !isRepetition(envelope) else {
            summary.lateReports += 1
            return
        }
        if let reason = refusal(of: registration, id) {
            actions.append(.tellWorker(peer, .refused(Refused(reason: reason))))
            return
        }
        let attachment = AttachmentNumber(state.nextAttachment)
        record(.workerAttached(id, attachment, registration), into: &actions)
        guard let index = state.workerIndexes[id] else { return }
        state.workers[index]?.peer = peer
        state.workers[index]?.isAttached = true
        state.workers[index]?.isDraining = false
        state.workers[index]?.renewal = .none
        let named = attachmentNamed(by: envelope)
        state.workers[index]?.spokenUnder = named
        state.workers[index]?.overdue = []
        state.workers[index]?.isHeldBack = false
        state.workers[index]?.unsettledReports = []
        state.workers[index]?.settleBy = .distantFuture
        extendLease(index)
        let verdicts = verdicts(on: registration.held, worker: index, into: &actions)
        let registered = WorkerBoundMessage.Registered(
            attachment: attachment, leaseMilliseconds: UInt32(settings.leaseMilliseconds),
            renewalMilliseconds: UInt32(settings.heartbeatMilliseconds), verdicts: verdicts)
        actions.append(.tellWorker(peer, .registered(registered)))
        unblockGrants()
        noteWorker(index, into: &actions)
    }

    /// The attachment of this life of the front that a worker speaks under; none: it knows none of them yet.
    private func attachmentNamed(by envelope: WorkerEnvelope) -> AttachmentNumber {
        envelope.epoch == settings.epoch ? envelope.attachment : .none
    }

    /// Whether a registration is one that the network repeats: the worker has spoken under a later attachment already, so what the
    /// registration says of held leases is not true any more. One that has not may have missed the answer, and is answered again.
    private func isRepetition(_ envelope: WorkerEnvelope) -> Bool {
        guard let index = state.workerIndexes[envelope.worker], let worker = state.workers[index] else { return false }
        return worker.isAttached && attachmentNamed(by: envelope) < worker.spokenUnder
    }

    private func refusal(of registration: WorkerMessage.Registration, _ id: WorkerID) -> String? {
        guard registration.minimumVersion <= ProtocolVersion.current, registration.maximumVersion >= ProtocolVersion.current else {
            return
                "the worker offers protocol versions \(registration.minimumVersion) to \(registration.maximumVersion), this front speaks "
                + "\(ProtocolVersion.current): use a worker of the same release"
        }
        guard (1...64).contains(registration.slots), registration.prefetch <= 4_096 else {
            return "a worker has 1 to 64 slots and takes at most 4,096 short jobs ahead"
        }
        guard registration.loaders.allSatisfy({ FeedKey.isName($0.name) }) else { return "a loader's name is [a-z][a-z0-9-]{0,62}" }
        guard state.loaderNames.count + registration.loaders.count <= settings.bounds.loaderNames + 64 else {
            return "\(settings.bounds.loaderNames) different loaders are in use (limit)"
        }
        guard state.workerIndexes[id] != nil || state.workerIndexes.count < settings.bounds.workers else {
            return "\(settings.bounds.workers) workers are known (limit): stop some first"
        }
        return nil
    }

    /// What becomes of each lease that the worker still holds, and of those that it should hold but does not.
    private mutating func verdicts(
        on held: [WorkerMessage.HeldLease], worker index: Int, into actions: inout [FrontAction]
    ) -> [WorkerBoundMessage.LeaseVerdict] {
        var verdicts: [WorkerBoundMessage.LeaseVerdict] = []
        var granted = Fact.GrantedJobs(worker: state.workers[index]?.id ?? .none, at: now.wall, isReattachment: true)
        var kept: Set<UInt64> = []
        for lease in held {
            let id = lease.job.rawValue
            guard state.jobs.contains(id), state.jobs[id].place == .held, Int(state.jobs[id].worker) == index,
                kept.insert(id).inserted
            else {
                verdicts.append(.init(lease: lease.lease, verdict: .drop, renewed: .none))
                continue
            }
            let renewed = takeLease(into: &actions)
            granted.jobs.append(id)
            granted.leases.append(renewed.rawValue)
            let isCancelling = state.jobs[id].state == .cancelling
            verdicts.append(.init(lease: lease.lease, verdict: isCancelling ? .cancel : .keep, renewed: renewed))
        }
        let missing = heldJobs(ofWorker: index).filter { !kept.contains($0) }
        loseJobs(missing, suspected: false, isCounted: false, into: &actions)
        if !granted.jobs.isEmpty { record(.granted(granted), into: &actions) }
        return verdicts
    }

    /// The jobs that a worker holds, oldest grant first.
    func heldJobs(ofWorker index: Int) -> [UInt64] {
        var found: [UInt64] = []
        var job = state.workers[index]?.held.first ?? 0
        while job != 0 {
            found.append(job)
            job = state.jobs[job].next
        }
        return found
    }

    /// The worker's lease counts from now on: what the worker counts from is earlier.
    private mutating func extendLease(_ index: Int) {
        let lostAt = now.monotonic.adding(milliseconds: settings.leaseMilliseconds + settings.graceMilliseconds)
        state.workers[index]?.lostAt = lostAt
        state.workers[index]?.givenBackMilliseconds = 0
        check(.workers, by: lostAt)
    }

    private mutating func renew(
        _ index: Int, _ number: RenewalNumber, _ leases: [UInt64], _ peer: PeerID, into actions: inout [FrontAction]
    ) {
        guard let worker = state.workers[index], number > worker.renewal else { return }
        state.workers[index]?.renewal = number
        state.workers[index]?.isHeldBack = false
        extendLease(index)
        actions.append(.echo(peer, number))
        let reported = Set(leases)
        step(leases.count)
        var cancels: [UInt64] = []
        var lost: [UInt64] = []
        for id in heldJobs(ofWorker: index) {
            let record = state.jobs[id]
            if record.state == .cancelling, !record.flags.contains(.isStopping) { cancels.append(record.lease) }
            if reported.contains(record.lease) {
                if record.missed != 0 { state.jobs[id].missed = 0 }
            } else {
                state.jobs[id].missed += 1
                if state.jobs[id].missed >= 2 {
                    state.jobs[id].missed = 0
                    lost.append(id)
                }
            }
        }
        if !cancels.isEmpty { actions.append(.tellWorker(peer, .renewed(number, cancels: cancels))) }
        if !lost.isEmpty { sendGrant(lost, worker: index, into: &actions) }
    }

    private mutating func sayGoodbye(_ index: Int, into actions: inout [FrontAction]) {
        loseJobs(heldJobs(ofWorker: index), suspected: false, isCounted: false, into: &actions)
        forgetWorker(index, into: &actions)
    }

    /// The worker's lease is over: its process is dead by now, its jobs run elsewhere or are failed.
    mutating func loseWorker(_ index: Int, into actions: inout [FrontAction]) {
        let held = heldJobs(ofWorker: index)
        let culprits = state.workers[index]?.overdue ?? []
        if culprits.isEmpty {
            let isCounted = held.count == 1
            loseJobs(held, suspected: !isCounted, isCounted: isCounted, into: &actions)
        } else {
            loseJobs(held, suspected: false, isCounted: false, into: &actions)
            // One that runs elsewhere by now shows there what it is worth.
            loseJobs(culprits.filter { isWaitingInLine($0) }, suspected: false, isCounted: true, into: &actions)
        }
        forgetWorker(index, into: &actions)
    }

    private func isWaitingInLine(_ id: UInt64) -> Bool {
        guard state.jobs.contains(id), state.jobs[id].state == .waiting else { return false }
        return state.jobs[id].place == .lane || state.jobs[id].place == .suspects
    }

    private mutating func forgetWorker(_ index: Int, into actions: inout [FrontAction]) {
        guard let id = state.workers[index]?.id else { return }
        if reservedWorker == index { reservedWorker = nil }
        record(.workerLost(id), into: &actions)
        actions.append(.changed(.workers, key: "worker/\(id)"))
        unblockGrants()
    }

    /// Jobs whose worker does not run them any more: cancelled, failed, quarantined or waiting again.
    mutating func loseJobs(_ jobs: [UInt64], suspected: Bool, isCounted: Bool, into actions: inout [FrontAction]) {
        guard !jobs.isEmpty else { return }
        var ended = Fact.EndedJobs(at: now.wall)
        var requeued: [Fact.RequeuedJob] = []
        var ends: [(UInt64, JobState, Failure?)] = []
        for id in jobs {
            let record = state.jobs[id]
            let deaths = record.deaths &+ (isCounted ? 1 : 0)
            let repeatable = state.workers[Int(record.worker)]?.offer(Int(record.loader))?.repeatable ?? .no
            // One that waits was found repeatable when its worker was lost.
            let mayRepeat = record.state == .waiting || mayRepeat(repeatable)
            if record.state == .cancelling {
                ends.append((id, .cancelled, nil))
            } else if deaths >= settings.deathLimit {
                let text =
                    "\(deaths) workers died of job \(id) (limit \(settings.deathLimit)): look at it before submitting it again"
                ends.append((id, .quarantined, Failure(id: FailureID(id), code: .quarantined, text: text, attempts: record.attempts)))
            } else if !mayRepeat {
                let text =
                    "the worker of job \(id) was lost and the work may or may not have been done: look, then submit it again if needed"
                ends.append((id, .failed, Failure(id: FailureID(id), code: .outcomeUnknown, text: text, attempts: record.attempts)))
            } else {
                requeued.append(Fact.RequeuedJob(job: JobID(id), deaths: deaths, isSuspected: suspected || (isCounted && deaths > 0)))
            }
        }
        for (id, state, failure) in ends { ended.append(id, state, failure: failure) }
        if !ends.isEmpty { record(.ended(ended), into: &actions) }
        if !requeued.isEmpty { record(.requeued(requeued), into: &actions) }
        for (id, state, failure) in ends { jobEnded(id, state, failure: failure, feedResult: nil, into: &actions) }
        for job in requeued {
            unlist(job.job.rawValue, into: &actions)
            noteJob(job.job.rawValue, "job", into: &actions)
            feedJobWaits(job.job.rawValue, into: &actions)
        }
    }

    private func mayRepeat(_ repeatable: Repeatable) -> Bool {
        switch repeatable {
        case .yes, .keyed: true
        case .no: false
        }
    }

    /// Tells observers that a worker's item has changed.
    func noteWorker(_ index: Int, into actions: inout [FrontAction]) {
        guard let id = state.workers[index]?.id else { return }
        actions.append(.changed(.workers, key: "worker/\(id)"))
    }

    /// After a restart without journalled grants, grants begin once every known worker has come back or been given up.
    mutating func unblockGrants() {
        guard grantsBlockedUntil != nil, state.workers.allSatisfy({ $0?.isAttached ?? true }) else { return }
        grantsBlockedUntil = nil
    }
}
