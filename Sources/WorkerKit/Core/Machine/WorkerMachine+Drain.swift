//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

extension WorkerMachine {
    /// Takes no new jobs; the line and the slots end as they would.
    mutating func drain(into actions: inout [WorkerAction]) {
        guard mode == .serving else { return }
        mode = .draining
        send(.draining, into: &actions)
    }

    /// Tells all work to stop; the front decides what becomes of the jobs.
    mutating func stop(into actions: inout [WorkerAction]) {
        guard mode != .stopping else { return }
        if mode == .serving { send(.draining, into: &actions) }
        mode = .stopping
        for index in slots.indices {
            guard let slot = slots[index], slot.state == .running else { continue }
            slots[index]?.state = .leaseLost
            slots[index]?.progress = nil
            actions.append(.cancelWork(slot.token))
        }
        replaceLine { job, lease, retained in
            retained.gather(job: job, lease: lease, outcome: .returned)
            return nil
        }
    }

    /// A draining worker waits until its outcomes are durable, but not for a front that it has not heard for a lease; a stopping one
    /// does not wait.
    mutating func finishIfDrained(at now: MonotonicTime, into actions: inout [WorkerAction]) {
        guard mode != .serving, connection != .ended, !isBusy else { return }
        guard mode == .stopping || retained.isEmpty || (connection == .registering && now >= leaseEnd) else { return }
        send(.close, into: &actions)
        connection = .ended
        actions.append(.finish)
    }
}
