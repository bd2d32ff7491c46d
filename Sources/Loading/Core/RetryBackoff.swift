//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How long a ``RetryableLoader`` waits before each further attempt: 1 s, 2 s, 4 s and so on, doubling up to ``cap``, of which the part
/// ``jitter`` is random.
public struct RetryBackoff: Hashable, Sendable {
    /// No wait is longer than this; jitter may take away from it, never add to it.
    public let cap: Duration
    /// Which part of a wait is random, 0...1: a wait of d lasts between d x (1 - jitter) and d.
    public let jitter: Double

    /// Creates a rule.
    /// - Parameters:
    ///   - cap: the longest wait; values below zero become zero. The default is one hour.
    ///   - jitter: the random part, clamped to 0...1. The default is 0: waits are exact.
    public init(cap: Duration = .seconds(3600), jitter: Double = 0) {
        self.cap = max(cap, .zero)
        self.jitter = jitter.isNaN ? 0 : min(max(jitter, 0), 1)
    }

    /// The wait before an attempt: 2^(attempt - 2) seconds, capped, less its random part.
    /// - Parameters:
    ///   - attempt: counts from 1; the first attempt waits for nothing.
    ///   - random: a number in 0..<1 that places the wait within its random part.
    public func delay(before attempt: Int, random: Double) -> Duration {
        guard attempt >= 2 else { return .zero }
        // 2^40 s is beyond any cap worth having, and far from the largest duration.
        let full = min(Duration.seconds(Int64(1) << min(attempt - 2, 40)), cap)
        return jitter == 0 ? full : full * (1 - jitter * random)
    }
}
