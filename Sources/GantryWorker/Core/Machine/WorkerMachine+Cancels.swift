//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

extension WorkerMachine {
    /// Cancels are repeated by the front until it reads `stopping`; one that overtakes its grant is remembered.
    ///
    /// - Complexity: one pass over the line, however many are cancelled: thousands of bulk jobs are cancelled at once.
    mutating func cancel(_ leases: [UInt64], at now: MonotonicTime, into actions: inout [WorkerAction]) {
        var taken = leases.isEmpty ? [:] : takeFromLine(Set(leases))
        for lease in leases { cancel(lease, inLine: taken.removeValue(forKey: lease), at: now, into: &actions) }
    }

    private mutating func cancel(
        _ lease: UInt64, inLine job: UInt64?, at now: MonotonicTime, into actions: inout [WorkerAction]
    ) {
        if let index = slots.firstIndex(where: { $0?.lease.rawValue == lease }) {
            cancelSlot(index, into: &actions)
        } else if let job {
            send(.cancelStep(LeaseID(lease), .delivered), into: &actions)
            send(.cancelStep(LeaseID(lease), .stopping), into: &actions)
            retained.gather(job: job, lease: lease, outcome: .cancelled)
        } else if retained.contains(lease: lease) || received.contains(lease) {
            actions.append(.ignored(.alreadyEnded))
        } else if !cancels.contains(lease) {
            cancels.remember(lease, until: now.advanced(by: leaseLength * 2))
            send(.cancelStep(LeaseID(lease), .delivered), into: &actions)
        }
    }

    mutating func cancelSlot(_ index: Int, into actions: inout [WorkerAction]) {
        guard let slot = slots[index] else { return }
        switch slot.state {
        case .running:
            send(.cancelStep(slot.lease, .delivered), into: &actions)
            actions.append(.cancelWork(slot.token, .requested))
            send(.cancelStep(slot.lease, .stopping), into: &actions)
        case .leaseLost:
            send(.cancelStep(slot.lease, .delivered), into: &actions)
            send(.cancelStep(slot.lease, .stopping), into: &actions)
        case .cancelled:
            send(.cancelStep(slot.lease, .stopping), into: &actions)
        case .abandoned:
            return
        }
        slots[index]?.state = .cancelled
        slots[index]?.progress = nil
    }

    /// Runs over the jobs that wait in the line; `body` returns the lease to keep each one under, or nil to take it out.
    mutating func replaceLine(_ body: (_ job: UInt64, _ lease: UInt64, _ retained: inout RetainedReports) -> UInt64?) {
        lineCount = 0
        for index in line.indices {
            let work = line[index]
            line[index] = work.compactMapLeases { body($0, $1, &retained) }
            lineCount += line[index].remainingCount
        }
        line.removeAll { $0.remainingCount == 0 }
    }

    /// Takes jobs out of the line; answers those that were there, by their leases.
    private mutating func takeFromLine(_ wanted: Set<UInt64>) -> [UInt64: UInt64] {
        guard lineCount > 0, line.contains(where: { $0.leases[$0.nextRow...].contains(where: wanted.contains) }) else { return [:] }
        var found: [UInt64: UInt64] = [:]
        replaceLine { job, lease, _ in
            guard wanted.contains(lease) else { return lease }
            found[lease] = job
            return nil
        }
        return found
    }
}

extension WorkerMachine {
    /// Takes no new jobs; the line and the slots end as they would.
    mutating func drain(into actions: inout [WorkerAction]) {
        guard mode == .serving else { return }
        mode = .draining
        send(.draining, into: &actions)
    }

    /// Cancels all work; the front decides what happens to the jobs.
    mutating func stop(into actions: inout [WorkerAction]) {
        guard mode != .stopping else { return }
        if mode == .serving { send(.draining, into: &actions) }
        mode = .stopping
        for index in slots.indices {
            guard let slot = slots[index], slot.state == .running else { continue }
            slots[index]?.state = .leaseLost
            slots[index]?.progress = nil
            actions.append(.cancelWork(slot.token, .workerStops))
        }
        replaceLine { job, lease, retained in
            retained.gather(job: job, lease: lease, outcome: .returned)
            return nil
        }
    }

    /// A draining worker waits until its outcomes are durable, but not for a front that was silent for a lease; a stopping one does
    /// not wait.
    mutating func finishIfDrained(at now: MonotonicTime, into actions: inout [WorkerAction]) {
        guard mode != .serving, connection != .ended, !isBusy else { return }
        guard mode == .stopping || retained.isEmpty || (connection == .registering && now >= leaseEnd) else { return }
        send(.close, into: &actions)
        connection = .ended
        actions.append(.finish)
    }
}
