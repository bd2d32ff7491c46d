//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

extension WorkerMachine {
    /// Looks at every deadline. Everything that had arrived was read before.
    mutating func passTime(to now: MonotonicTime, into actions: inout [WorkerAction]) {
        if now >= leaseEnd {
            loseLease(into: &actions)
        } else if now >= stopAt {
            stopForLease(into: &actions)
        }
        // A dead connection may show nothing: ZeroMQ's own heartbeats, which can abort this process (zeromq/libzmq#4767), are off. So silence for a
        // whole lease is taken for a dead connection, and a new socket is made.
        if connection == .registered, now >= silentAt {
            reregister(at: now)
            actions.append(.reconnect)
        }
        if now >= nextRenewalAt {
            switch connection {
            case .registering where wantsToRegister: register(at: now, into: &actions)
            case .registering, .ended: nextRenewalAt = now.advanced(by: settings.registerPause)
            case .registered: renew(at: now, into: &actions)
            }
        }
        if connection == .registered, let work = line.first, now < stopAt { actions.append(.runBulk(work)) }
    }

    /// Work without a lease must end first, or the kernel would end new jobs with it. A draining worker only comes back for what it holds.
    private var wantsToRegister: Bool { overdueJobs.isEmpty && (mode == .serving || isBusy || !retained.isEmpty) }

    /// The lease runs out: what has not begun goes back, what runs is cancelled while there is time.
    private mutating func stopForLease(into actions: inout [WorkerAction]) {
        for index in slots.indices {
            guard let slot = slots[index], slot.state == .running else { continue }
            slots[index]?.state = .leaseLost
            slots[index]?.progress = nil
            actions.append(.cancelWork(slot.token, .leaseLost))
        }
        guard lineCount > 0 else { return }
        replaceLine { job, lease, retained in
            retained.gather(job: job, lease: lease, outcome: .returned)
            return nil
        }
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
        case .cancelled, .leaseLost: break
        case .abandoned: return
        }
        slots[index]?.state = .abandoned(killAt: killAt)
        slots[index]?.lease = .none
        slots[index]?.progress = nil
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
        guard armedAt != at else { return }
        armedAt = at
        actions.append(.armKillTimer(at: at))
    }
}
