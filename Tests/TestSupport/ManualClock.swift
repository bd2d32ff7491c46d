//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Synchronization

/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = ManualClock()
/// Task { try await clock.sleep(for: .seconds(1)); print("awake") }
/// await clock.whenAsleep(1)          // returns when somebody sleeps: no real time passes
/// clock.advance(by: .seconds(1))     // "awake"
/// ```
package final class ManualClock: Clock, Sendable {
    /// A moment: the time since the clock was made.
    package struct Instant: InstantProtocol {
        /// Time since the clock was made.
        package let offset: Duration

        /// Creates a moment.
        package init(offset: Duration) { self.offset = offset }

        /// The moment that is later by a duration.
        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// The time from this moment to another one; negative when that is earlier.
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Whether the left moment is earlier.
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let number: UInt64
        let deadline: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        let condition: @Sendable ([Duration]) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct Storage {
        var now: Duration = .zero
        /// By deadline, then by the order of falling asleep.
        var sleepers: [Sleeper] = []
        var watchers: [Watcher] = []
        var cancelled: Set<UInt64> = []
        var lastNumber: UInt64 = 0

        var deadlines: [Duration] { sleepers.map(\.deadline) }

        mutating func satisfiedWatchers() -> [CheckedContinuation<Void, Never>] {
            let deadlines = deadlines
            let satisfied = watchers.filter { $0.condition(deadlines) }
            watchers.removeAll { $0.condition(deadlines) }
            return satisfied.map(\.continuation)
        }
    }

    private let storage = Mutex(Storage())

    /// Creates a clock at zero.
    package init() {}

    /// The time now.
    package var now: Instant { Instant(offset: storage.withLock { $0.now }) }

    /// Zero: the clock is exact.
    package var minimumResolution: Duration { .zero }

    /// When each sleeper wants to be woken, earliest first.
    package var deadlines: [Duration] { storage.withLock { $0.deadlines } }

    /// Returns when the clock has been moved to the deadline.
    /// - Throws: `CancellationError` when the task is cancelled; at once, without the clock being moved.
    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let number = storage.withLock { storage in
            storage.lastNumber += 1
            return storage.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                fallAsleep(Sleeper(number: number, deadline: deadline.offset, continuation: continuation))
            }
        } onCancel: {
            cancel(number)
        }
    }

    /// Moves the clock and wakes everybody whose deadline has come, in the order of deadlines.
    package func advance(by duration: Duration) {
        advance(to: storage.withLock { $0.now } + duration)
    }

    /// Moves the clock to a time since its beginning; does nothing when that time is past.
    package func advance(to time: Duration) {
        let (due, watchers) = storage.withLock { storage in
            storage.now = max(storage.now, time)
            let due = storage.sleepers.prefix { $0.deadline <= storage.now }
            storage.sleepers.removeFirst(due.count)
            return (due, storage.satisfiedWatchers())
        }
        for sleeper in due { sleeper.continuation.resume() }
        for watcher in watchers { watcher.resume() }
    }

    /// Returns when exactly this many sleep; at once when they do already.
    package func whenAsleep(_ count: Int) async {
        await when { $0.count == count }
    }

    /// Returns when somebody sleeps until exactly this time since the clock's beginning.
    package func whenAsleep(until deadline: Duration) async {
        await when { $0.contains(deadline) }
    }

    /// Returns when the deadlines of all sleepers, earliest first, meet a condition; at once when they do already.
    package func when(_ condition: @escaping @Sendable (_ deadlines: [Duration]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMet = storage.withLock { storage in
                guard !condition(storage.deadlines) else { return true }
                storage.watchers.append(Watcher(condition: condition, continuation: continuation))
                return false
            }
            if isMet { continuation.resume() }
        }
    }

    private func fallAsleep(_ sleeper: Sleeper) {
        enum Outcome { case asleep, due, cancelled }
        let (outcome, watchers) = storage.withLock { storage -> (Outcome, [CheckedContinuation<Void, Never>]) in
            if storage.cancelled.remove(sleeper.number) != nil { return (.cancelled, []) }
            if sleeper.deadline <= storage.now { return (.due, []) }
            let index = storage.sleepers.firstIndex { $0.deadline > sleeper.deadline } ?? storage.sleepers.endIndex
            storage.sleepers.insert(sleeper, at: index)
            return (.asleep, storage.satisfiedWatchers())
        }
        switch outcome {
        case .asleep: break
        case .due: sleeper.continuation.resume()
        case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
        }
        for watcher in watchers { watcher.resume() }
    }

    private func cancel(_ number: UInt64) {
        let (sleeper, watchers) = storage.withLock { storage -> (Sleeper?, [CheckedContinuation<Void, Never>]) in
            guard let index = storage.sleepers.firstIndex(where: { $0.number == number }) else {
                // Not asleep yet, or awake already; numbers are not used twice, so a stale one does no harm.
                storage.cancelled.insert(number)
                return (nil, [])
            }
            let sleeper = storage.sleepers.remove(at: index)
            return (sleeper, storage.satisfiedWatchers())
        }
        sleeper?.continuation.resume(throwing: CancellationError())
        for watcher in watchers { watcher.resume() }
    }
}
