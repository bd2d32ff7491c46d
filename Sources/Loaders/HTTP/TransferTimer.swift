//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedSettings
import Synchronization

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
