//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWorker
import Synchronization

/// The memory that all loads and sorts of a worker share, so that one job cannot end the process and its neighbors with it.
///
/// It counts what jobs announce, not what they allocate: each asks for the most that it can need, whole, before it takes the first byte.
package final class MemoryBudget: Sendable {
    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct State {
        var line: MemoryLine
        var waiters: [UInt64: Waiter] = [:]

        /// Takes out those who are granted theirs, in their order.
        mutating func take(_ numbers: [UInt64]) -> [Waiter] { numbers.compactMap { waiters.removeValue(forKey: $0) } }
    }

    private let state: Mutex<State>
    private let limit: Int

    /// - Parameter byteCount: all there is.
    package init(byteCount: Int) {
        limit = byteCount
        state = Mutex(State(line: MemoryLine(limit: byteCount)))
    }

    /// Bytes that are held now, and how many jobs wait.
    package var counts: (taken: Int, waiting: Int) { state.withLock { ($0.line.taken, $0.line.waitingCount) } }

    /// Waits until so much is there.
    ///
    /// - Parameters:
    ///   - byteCount: the most that the job can need.
    ///   - what: what needs it, the beginning of a sentence.
    ///   - waits: called with a sentence for people if the job has to wait.
    /// - Throws: `LoaderFailure` with `tooLarge` for more than there is in all; `CancellationError` at once when the task is cancelled.
    package func reserve(_ byteCount: Int, for what: String, waits: (String) -> Void) async throws -> MemoryShare {
        let number = state.withLock { $0.line.nextNumber() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in ask(byteCount, number, for: what, waiter, waits) }
        } onCancel: {
            withdraw(number)
        }
        return MemoryShare(byteCount, of: self)
    }

    /// Takes back what a share held.
    func giveBack(_ byteCount: Int) {
        for waiter in state.withLock({ $0.take($0.line.giveBack(byteCount)) }) { waiter.resume() }
    }

    private func ask(_ byteCount: Int, _ number: UInt64, for what: String, _ waiter: Waiter, _ waits: (String) -> Void) {
        let (answer, taken) = state.withLock { state -> (MemoryLine.Answer?, Int) in
            // A task that is cancelled later withdraws, and finds its waiter here.
            guard !Task.isCancelled else { return (nil, 0) }
            let answer = state.line.ask(byteCount, as: number)
            if answer == .waits { state.waiters[number] = waiter }
            return (answer, state.line.taken)
        }
        switch answer {
        case nil: waiter.resume(throwing: CancellationError())
        case .granted: waiter.resume()
        case .waits: waits("waiting for \(Self.text(byteCount)) of memory: other jobs hold \(Self.text(taken)) of \(Self.text(limit))")
        case .tooLarge:
            waiter.resume(
                throwing: LoaderFailure(
                    .tooLarge,
                    "\(what) needs up to \(Self.text(byteCount)) of memory, and all loads and sorts of the worker together have "
                        + "\(Self.text(limit)): ask for less, lower http.max-body or the loader's itemLimit, or give the worker more memory "
                        + "(gantry worker --memory, LoaderResources)",
                    arguments: ["limit", String(limit)]))
        }
    }

    private func withdraw(_ number: UInt64) {
        let (withdrawn, granted) = state.withLock { state -> (Waiter?, [Waiter]) in
            guard let waiter = state.waiters.removeValue(forKey: number) else { return (nil, []) }
            return (waiter, state.take(state.line.withdraw(number)))
        }
        withdrawn?.resume(throwing: CancellationError())
        for waiter in granted { waiter.resume() }
    }

    private static func text(_ byteCount: Int) -> String {
        byteCount >= 1 << 20 ? "\((byteCount + (1 << 20) - 1) >> 20) MiB" : "\(byteCount) bytes"
    }
}

/// Memory that was granted to one job, given back when nobody holds this any more.
///
/// Code that outlives its job, in an abandoned call, keeps its share by capturing it: the memory is free when it is really free.
package final class MemoryShare: Sendable {
    /// How much, in bytes.
    package let byteCount: Int
    private let budget: MemoryBudget

    init(_ byteCount: Int, of budget: MemoryBudget) {
        self.byteCount = byteCount
        self.budget = budget
    }

    deinit { budget.giveBack(byteCount) }
}
