//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FeedSettings

/// When a transfer has taken too long: as a whole, or because nothing comes from the origin. Times are counted from its begin.
///
/// Only waiting for the origin is the origin's fault: while we ourselves write to a slow disk, the idle time stands still, and while the worker waits for
/// memory both do.
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
        case idle, total
    }

    private let idle: Duration
    private let connect: Duration
    private var phase = Phase.working
    private var phaseBegan = Duration.zero
    private var totalDeadline: Duration
    private var idleDeadline: Duration?
    private var hasAnswered = false

    init(_ limits: HTTPLimits) {
        idle = .seconds(limits.idleTimeoutSeconds)
        connect = .seconds(limits.connectTimeoutSeconds)
        totalDeadline = .seconds(limits.totalTimeoutSeconds)
    }

    /// The transfer does something else from now on.
    mutating func enter(_ next: Phase, at now: Duration) {
        if phase == .waitingForMemory { totalDeadline += now - phaseBegan }
        (phase, phaseBegan) = (next, now)
        switch next {
        case .working, .waitingForMemory: idleDeadline = nil
        // The connection has a bound of its own, which tells more than "nothing came".
        case .waitingForOrigin: idleDeadline = now + (hasAnswered ? idle : idle + connect)
        }
    }

    /// The head of an answer has come.
    mutating func answered() { hasAnswered = true }

    /// A redirect leads to another connection.
    mutating func redirected() { hasAnswered = false }

    /// The bound that is reached; nil: none.
    func reached(at now: Duration) -> Bound? {
        if let idleDeadline, now >= idleDeadline { return .idle }
        return phase != .waitingForMemory && now >= totalDeadline ? .total : nil
    }

    /// When to look again: nothing can be reached before.
    func nextLook(at now: Duration) -> Duration {
        let total = phase == .waitingForMemory ? totalDeadline + (now - phaseBegan) : totalDeadline
        return min(total, idleDeadline ?? now + idle)
    }
}
