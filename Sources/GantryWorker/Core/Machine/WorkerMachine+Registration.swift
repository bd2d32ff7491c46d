//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

extension WorkerMachine {
    /// A front that does not know the registration: the work goes on under its old lease until the front has judged it.
    mutating func reregister(at now: MonotonicTime) {
        connection = .registering
        arriving.removeAll()
        nextRenewalAt = now
    }

    mutating func register(at now: MonotonicTime, into actions: inout [WorkerAction]) {
        var registration = WorkerMessage.Registration(
            name: settings.name, processID: settings.processID, slots: UInt32(settings.slots), prefetch: UInt32(settings.prefetch),
            loaders: settings.loaders)
        (registration.secret, registration.token, registration.process) = (settings.secret, settings.token, settings.process)
        appendHeld(to: &registration.held)
        lastRegisterAt = now
        // The first of several tries: the front may have read any of them, and the lease counts from the earliest.
        registerSentAt = registerSentAt ?? now
        nextRenewalAt = now.advanced(by: settings.registerPause)
        actions.append(.register(registration))
    }

    mutating func registered(
        _ registered: WorkerBoundMessage.Registered, by sender: FrontID, _ senderEpoch: Epoch, at now: MonotonicTime,
        into actions: inout [WorkerAction]
    ) {
        let isNewer = sender != front || senderEpoch > epoch || (senderEpoch == epoch && registered.registrationNumber > registrationNumber)
        guard isNewer else { return actions.append(.ignored(.registrationOver)) }
        guard connection == .registering else {
            // The front has judged an older list of leases than the one held now: it is asked again with this one.
            actions.append(.ignored(.alreadyRegistered))
            return reregister(at: now)
        }
        var decisions: [UInt64: WorkerBoundMessage.LeaseDecision] = [:]
        for decision in registered.decisions { decisions[decision.lease.rawValue] = decision }
        guard judgesAll(decisions) else { return actions.append(.ignored(.olderRegistration)) }
        let oldEnd = leaseEnd
        (front, epoch, registrationNumber, connection) = (sender, senderEpoch, registered.registrationNumber, .unconfirmed)
        readBelow = .none
        refusal = nil
        // A front that says 0 would have renewals sent without a pause.
        leaseLength = max(registered.lease, .milliseconds(1))
        renewalPause = max(registered.renewal, .milliseconds(1))
        let sent = registerSentAt ?? lastRegisterAt
        renewals.register(sentAt: sent)
        // Answers to renewals of the registration before count for nothing here.
        lastAnswered = renewals.newest
        // Never earlier than before: the front grants nobody else what this worker holds until the lease that it gave last is over.
        leaseEnd = max(oldEnd, sent.advanced(by: leaseLength))
        // From now on: an answer that took a whole lease would else be followed by the next registration at once.
        silentAt = max(leaseEnd, now.advanced(by: leaseLength))
        for decision in registered.decisions { received.raise(to: decision.renewed.rawValue) }
        // Before the reports and the renewal below, which list what is still held under the leases that it gives.
        judgeSlots(decisions, oldEnd: oldEnd, at: now, into: &actions)
        // What was sent in an earlier epoch may never have become durable.
        for index in slots.indices { if let slot = slots[index], slot.lease != .none { slots[index]?.log = slot.lastLog } }
        retained.reregister { lease in
            guard let decision = decisions[lease], decision.decision != .drop else { return nil }
            return (decision.renewed.rawValue, decision.decision == .cancel)
        }
        judgeLine(decisions)
        closeReports(into: &actions)
        moveKillTimer(into: &actions)
        renew(at: now, into: &actions)
    }

    /// The front does not take the worker: for good, or for a while. Once registered, it was but a message that it did not take.
    mutating func refused(_ refused: Refused, at now: MonotonicTime, into actions: inout [WorkerAction]) {
        guard connection == .registering else { return actions.append(.ignored(.refusedMessage)) }
        guard refused.retryAfter == .zero else {
            refusal = refused
            nextRenewalAt = now.advanced(by: refused.retryAfter)
            return
        }
        connection = .ended
        actions.append(.refused(reason: refused.reason))
    }

    /// Whether every lease that is held has its decision: the front sends one for each that a registration lists. One that is missing was
    /// renewed since that registration was sent; to forget its outcome would make the front grant the job again.
    private func judgesAll(_ decisions: [UInt64: WorkerBoundMessage.LeaseDecision]) -> Bool {
        var held: [WorkerMessage.HeldLease] = []
        appendHeld(to: &held)
        return held.allSatisfy { decisions[$0.lease.rawValue] != nil }
    }

    private mutating func judgeSlots(
        _ decisions: [UInt64: WorkerBoundMessage.LeaseDecision], oldEnd: MonotonicTime, at now: MonotonicTime,
        into actions: inout [WorkerAction]
    ) {
        for index in slots.indices {
            guard var slot = slots[index] else { continue }
            if case .abandoned = slot.state { continue }
            switch decisions[slot.lease.rawValue] {
            case .some(let decision) where decision.decision == .keep:
                slot.lease = decision.renewed
                slots[index] = slot
                if slot.isStopping { resendSteps(of: slot, into: &actions) }
            case .some(let decision) where decision.decision == .cancel:
                slot.lease = decision.renewed
                slots[index] = slot
                cancelSlot(index, at: now, into: &actions)
            // Dropped: its kernel time stays that of the lease before, because the front frees the slot by that one.
            case .some, .none:
                abandon(index, killAt: oldEnd.advanced(by: settings.killDelay), into: &actions)
            }
        }
    }

    private mutating func judgeLine(_ decisions: [UInt64: WorkerBoundMessage.LeaseDecision]) {
        guard lineCount > 0 else { return }
        replaceLine { job, lease, retained in
            guard let decision = decisions[lease], decision.decision != .drop else { return nil }
            guard decision.decision == .cancel else { return decision.renewed.rawValue }
            retained.gather(job: job, lease: decision.renewed.rawValue, outcome: .cancelled)
            return nil
        }
    }

    /// Numbers a renewal and lists what is held, outcomes that are not durable included: the front must not grant them again.
    mutating func renew(at now: MonotonicTime, into actions: inout [WorkerAction]) {
        var held: [WorkerMessage.HeldLease] = []
        appendHeld(to: &held)
        // Before the renewal: a front that has read it knows what dropped work has not ended here.
        let overdue = overdueJobs
        if !overdue.isEmpty { send(.overdue(jobs: overdue), into: &actions) }
        // Grants that wait for an answer to a renewal were read and are not listed.
        let read = arriving.isEmpty ? readBelow : .none
        send(.renewal(renewals.send(at: now), leases: held.map(\.lease.rawValue), readBelow: read), into: &actions)
        if mode != .serving { send(.draining, into: &actions) }
        nextRenewalAt = now.advanced(by: renewalPause)
        received.prune(at: now)
        cancels.prune(at: now)
    }

    mutating func renewed(_ number: RenewalNumber, cancels: [UInt64], at now: MonotonicTime, into actions: inout [WorkerAction]) {
        guard number.rawValue != 0, let sent = renewals.sent(number) else { return actions.append(.ignored(.unknownRenewal)) }
        // An answer shows that the front has read past every registration that was sent before.
        registerSentAt = nil
        // An answer that comes twice, or behind a later one, must not count as time that has passed.
        if number.rawValue > lastAnswered {
            lastAnswered = number.rawValue
            for report in retained.answered() { send(.ended(report), into: &actions) }
        }
        let end = sent.advanced(by: leaseLength)
        if end > leaseEnd {
            leaseEnd = end
            silentAt = max(silentAt, end)
            moveKillTimer(into: &actions)
        }
        cancel(cancels, at: now, into: &actions)
        guard connection == .unconfirmed else { return }
        connection = .confirmed
        let waiting = arriving
        arriving.removeAll()
        for grant in waiting { granted(grant, at: now, into: &actions) }
    }

    /// Jobs that are this worker's no longer, though their work has not ended.
    var overdueJobs: [UInt64] {
        slots.compactMap { slot in
            if case .abandoned? = slot?.state { slot?.job.rawValue } else { nil }
        }
    }

    private func appendHeld(to held: inout [WorkerMessage.HeldLease]) {
        for case let slot? in slots {
            switch slot.state {
            case .running, .cancelled, .interrupted, .timedOut: held.append(WorkerMessage.HeldLease(job: slot.job, lease: slot.lease))
            case .abandoned: break
            }
        }
        for work in line {
            for row in work.nextRow..<work.jobs.count {
                held.append(WorkerMessage.HeldLease(job: JobID(work.jobs[row]), lease: LeaseID(work.leases[row])))
            }
        }
        retained.appendHeld(to: &held)
    }
}

extension WorkerMachine {
    /// Looks at every deadline. Everything that had arrived was read before.
    mutating func passTime(to now: MonotonicTime, into actions: inout [WorkerAction]) {
        if now >= leaseEnd {
            loseLease(into: &actions)
        } else if now >= stopAt {
            stopForLease(into: &actions)
        }
        timeOut(at: now, into: &actions)
        endGrace(at: now, into: &actions)
        stopOverdue(at: now, into: &actions)
        // A dead connection may show nothing: ZeroMQ's own heartbeats, which can abort this process (zeromq/libzmq#4767), are off. So silence for a
        // whole lease is taken for a dead connection, and a new socket is made.
        if connection.isRegistered, now >= silentAt {
            reregister(at: now)
            actions.append(.reconnect)
        }
        if now >= nextRenewalAt {
            switch connection {
            case .registering where wantsToRegister: register(at: now, into: &actions)
            // It does not want to register yet: looked at again in a while.
            case .registering, .ended: nextRenewalAt = now.advanced(by: settings.registerPause)
            case .unconfirmed, .confirmed: renew(at: now, into: &actions)
            }
        }
        // Last in a turn, and only the first piece of work: bulk jobs run on this thread, and renewals must stay in time.
        if connection.isRegistered, let work = line.first, now < stopAt { actions.append(.runBulk(work)) }
    }

    /// Work without a lease must end first, or the kernel would end new jobs with it. A draining worker only comes back for what it holds.
    private var wantsToRegister: Bool { overdueJobs.isEmpty && (mode == .serving || isBusy || !retained.isEmpty) }

    /// The lease runs out: what has not begun goes back, what runs is cancelled while there is time.
    private mutating func stopForLease(into actions: inout [WorkerAction]) {
        for index in slots.indices where slots[index]?.state == .running { stopWork(index, because: .leaseLost, into: &actions) }
        returnLine()
    }

    /// The lease is over: the front may give the jobs to others. Outcomes stay; they are offered at the next registration.
    private mutating func loseLease(into actions: inout [WorkerAction]) {
        for index in slots.indices where slots[index] != nil {
            abandon(index, killAt: leaseEnd.advanced(by: settings.killDelay), into: &actions)
        }
        line.removeAll()
        lineCount = 0
    }

    /// Takes the lease from work that has not ended. It keeps its slot, and the kernel's grace period does not grow any more.
    mutating func abandon(_ index: Int, killAt: MonotonicTime, into actions: inout [WorkerAction]) {
        guard let slot = slots[index] else { return }
        switch slot.state {
        case .running: actions.append(.cancelWork(slot.token, .leaseLost))
        case .cancelled, .interrupted, .timedOut: break
        case .abandoned: return
        }
        slots[index]?.state = .abandoned(killAt: killAt)
        slots[index]?.lease = .none
        slots[index]?.progress = nil
        slots[index]?.log = JobLog()
    }

    /// Lets the kernel watch exactly while something runs, until shortly after the end of the lease.
    mutating func moveKillTimer(into actions: inout [WorkerAction]) {
        guard isBusy else {
            if armedAt != nil { actions.append(.disarmKillTimer) }
            armedAt = nil
            return
        }
        var at = leaseEnd.advanced(by: settings.killDelay)
        for case let slot? in slots {
            if case .abandoned(let killAt) = slot.state { at = min(at, killAt) }
        }
        if let endsAt { at = min(at, endsAt) }
        // A timer that is set anew costs a system call, and most turns change nothing.
        guard armedAt != at else { return }
        armedAt = at
        actions.append(.armKillTimer(at: at))
    }
}
