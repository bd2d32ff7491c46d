//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Synchronization

/// The permits of one limiter and the tasks that wait for them. A waiter leaves from whatever thread cancels it, at once.
final class PermitQueue: Sendable {
    enum Request {
        case granted
        case refused
        case waits(PermitMachine.WaiterID)
    }

    enum Outcome {
        case granted
        case withdrawn
    }

    private struct Storage {
        var machine: PermitMachine
        var waiters: [PermitMachine.WaiterID: CheckedContinuation<Outcome, Never>] = [:]
        /// Outcomes of waiters that have not begun to wait.
        var early: [PermitMachine.WaiterID: Outcome] = [:]

        mutating func settle(_ waiter: PermitMachine.WaiterID, _ outcome: Outcome) -> CheckedContinuation<Outcome, Never>? {
            let continuation = waiters.removeValue(forKey: waiter)
            if continuation == nil { early[waiter] = outcome }
            return continuation
        }
    }

    private let storage: Mutex<Storage>

    init(limit: Int, waiterLimit: Int) {
        storage = Mutex(Storage(machine: PermitMachine(limit: limit, waiterLimit: waiterLimit)))
    }

    /// Permits held now.
    var held: Int { storage.withLock { $0.machine.held } }

    /// How many wait now.
    var waiterCount: Int { storage.withLock { $0.machine.waiterCount } }

    /// Asks for a permit and takes a place in the line when there is none. Does not wait, so the order of calls is the order of the line.
    func request() -> Request {
        switch storage.withLock({ $0.machine.requested() }) {
        case .grant: .granted
        case .wait(let waiter): .waits(waiter)
        case .refuse: .refused
        }
    }

    /// Waits for the permit asked for, or until the waiter is withdrawn or its task cancelled.
    func wait(for waiter: PermitMachine.WaiterID, isolation: isolated (any Actor)? = #isolation) async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: Outcome? = storage.withLock { storage in
                    if let early = storage.early.removeValue(forKey: waiter) { return early }
                    storage.waiters[waiter] = continuation
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            withdraw(waiter)
        }
    }

    /// Gives a permit back; it goes to the first in the line.
    func release() {
        let next = storage.withLock { storage -> CheckedContinuation<Outcome, Never>? in
            switch storage.machine.released() {
            case .keep: nil
            case .handOver(let waiter): storage.settle(waiter, .granted)
            }
        }
        next?.resume(returning: .granted)
    }

    /// Everybody who waits leaves without a permit.
    func withdrawAll() {
        let leaving = storage.withLock { storage in
            storage.machine.withdrewAll().compactMap { storage.settle($0, .withdrawn) }
        }
        for continuation in leaving { continuation.resume(returning: .withdrawn) }
    }

    private func withdraw(_ waiter: PermitMachine.WaiterID) {
        let leaving = storage.withLock { storage -> CheckedContinuation<Outcome, Never>? in
            switch storage.machine.withdrew(waiter) {
            case .leave: storage.settle(waiter, .withdrawn)
            case .ignore: nil
            }
        }
        leaving?.resume(returning: .withdrawn)
    }
}
