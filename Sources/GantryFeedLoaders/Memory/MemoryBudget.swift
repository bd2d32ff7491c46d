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

/// Who holds how much of a bounded memory and who waits for some: the oldest first, so that a large asker is not starved by small ones.
///
/// A part is kept for small askers: a user's own edit of some bytes does not wait behind loads of many megabytes that drip in.
struct MemoryLine {
    /// The answer to somebody who asks.
    enum Answer: Hashable {
        /// It is theirs until they give it back.
        case granted
        /// They are granted it later.
        case waits
        /// There will never be so much.
        case tooLarge
    }

    private struct Asker {
        let number: UInt64
        let byteCount: Int
    }

    /// Who asks for at most this part of all is small.
    private static let smallPart = 64
    /// The part of all that only small ones get, while no other asker needs nearly all there is.
    private static let keptPart = 16

    /// All there is, in bytes.
    let limit: Int
    /// What is held now, in bytes; never above `limit`.
    private(set) var taken = 0
    /// What small ones hold of it.
    private var takenBySmall = 0
    /// In the order of asking; a worker has at most 64 slots, so walking it costs nothing.
    private var askers: [Asker] = []
    private var lastNumber: UInt64 = 0

    init(limit: Int) { self.limit = limit }

    /// How many wait.
    var waitingCount: Int { askers.count }

    /// A number for one who is about to ask.
    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Somebody asks for all that they will need, at once: so nobody ever waits while holding a part.
    mutating func ask(_ byteCount: Int, as number: UInt64) -> Answer {
        guard byteCount <= limit else { return .tooLarge }
        // Who needs nothing has nothing to wait for, and takes nothing from those who do.
        if byteCount == 0 { return .granted }
        askers.append(Asker(number: number, byteCount: byteCount))
        return grantNext().contains(number) ? .granted : .waits
    }

    /// Somebody gives back what they were granted.
    /// - Returns: who is granted theirs now.
    mutating func giveBack(_ byteCount: Int) -> [UInt64] {
        taken -= byteCount
        if isSmall(byteCount) { takenBySmall -= byteCount }
        return grantNext()
    }

    /// Somebody waits no longer; those behind may fit now.
    /// - Returns: who is granted theirs now.
    mutating func withdraw(_ number: UInt64) -> [UInt64] {
        askers.removeAll { $0.number == number }
        return grantNext()
    }

    private func isSmall(_ byteCount: Int) -> Bool { byteCount <= limit / Self.smallPart }

    /// Grants what fits, the oldest first: behind one that does not fit only small ones, out of the part that is kept for them.
    private mutating func grantNext() -> [UInt64] {
        let kept = limit / Self.keptPart
        var granted: [UInt64] = []
        var waiting: [Asker] = []
        for asker in askers {
            let size = asker.byteCount
            let fits =
                if isSmall(size) {
                    waiting.isEmpty || takenBySmall + size <= kept && waiting.allSatisfy { $0.byteCount <= limit - kept }
                } else {
                    waiting.isEmpty && (taken - takenBySmall + size <= limit - kept || size > limit - kept)
                }
            guard fits, size <= limit - taken else {
                waiting.append(asker)
                continue
            }
            taken += size
            if isSmall(size) { takenBySmall += size }
            granted.append(asker.number)
        }
        askers = waiting
        return granted
    }
}
