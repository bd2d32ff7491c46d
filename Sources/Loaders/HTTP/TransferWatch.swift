//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedSettings
import Synchronization

/// When a transfer has taken too long: as a whole, or because nothing comes from the origin. Times are counted from its begin.
///
/// Only waiting for the origin is the origin's fault: while we ourselves write to a slow disk, the idle time stands still, and while the worker
/// waits for memory both do.
struct TransferWatch {
    /// What the transfer is doing.
    enum Phase: Hashable {
        /// Finding the address, or working on bytes that came.
        case working
        /// Waiting for the origin: for the connection and the head of the answer, or for the next bytes.
        case waitingForOrigin
        /// Waiting until other jobs give memory back.
        case waitingForMemory
    }

    /// Which bound was reached.
    enum Bound: Hashable {
        /// Nothing came for so long.
        case idle(after: Duration)
        case total
    }

    private let idle: Duration
    /// The same for the first answer of a connection.
    private let firstAnswer: Duration
    private var phase = Phase.working
    private var phaseBegan = Duration.zero
    private var totalDeadline: Duration
    private var idleDeadline: Duration?
    private var hasAnswered = false

    init(_ limits: HTTPLimits) {
        idle = limits.idleTimeout
        // The connection has a bound of its own, which tells more than "nothing came" and so must be reached first.
        firstAnswer = max(idle, limits.connectTimeout + .seconds(1))
        totalDeadline = limits.totalTimeout
    }

    /// The transfer does something else from now on.
    mutating func enter(_ next: Phase, at now: Duration) {
        if phase == .waitingForMemory { totalDeadline += now - phaseBegan }
        (phase, phaseBegan) = (next, now)
        switch next {
        case .working, .waitingForMemory: idleDeadline = nil
        case .waitingForOrigin: idleDeadline = now + (hasAnswered ? idle : firstAnswer)
        }
    }

    /// The head of an answer has come.
    mutating func answered() { hasAnswered = true }

    /// A redirect leads to another connection.
    mutating func redirected() { hasAnswered = false }

    /// The bound that is reached; nil: none.
    func reached(at now: Duration) -> Bound? {
        if let idleDeadline, now >= idleDeadline { return .idle(after: hasAnswered ? idle : firstAnswer) }
        return phase != .waitingForMemory && now >= totalDeadline ? .total : nil
    }

    /// When to look again: nothing can be reached before.
    func nextLook(at now: Duration) -> Duration {
        let total = phase == .waitingForMemory ? totalDeadline + (now - phaseBegan) : totalDeadline
        // The head may come, and the next wait begin, while the caller sleeps: that wait can be over after the idle time already.
        return min(total, now + idle, idleDeadline ?? total)
    }
}

/// Watches one transfer by a clock.
final class TransferTimer: Sendable {
    private let watch: Mutex<TransferWatch>
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void

    init(_ limits: HTTPLimits, clock: some Clock<Duration>) {
        let start = clock.now
        watch = Mutex(TransferWatch(limits))
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    /// What has passed since it was made.
    var now: Duration { elapsed() }

    /// Does a part of the transfer that waits for something, then counts as working again.
    func during<Value>(_ phase: TransferWatch.Phase, _ body: () async throws -> Value) async throws -> Value {
        enter(phase)
        defer { enter(.working) }
        return try await body()
    }

    /// The head of an answer has come.
    func answered() { watch.withLock { $0.answered() } }

    /// The transfer goes on at another address.
    func redirected() { watch.withLock { $0.redirected() } }

    /// Returns when a bound is reached.
    /// - Throws: `CancellationError`.
    func untilReached() async throws -> TransferWatch.Bound {
        while true {
            let now = elapsed()
            let (bound, next) = watch.withLock { ($0.reached(at: now), $0.nextLook(at: now)) }
            if let bound { return bound }
            try await sleep(next)
        }
    }

    private func enter(_ phase: TransferWatch.Phase) {
        let now = elapsed()
        watch.withLock { $0.enter(phase, at: now) }
    }
}
