//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How far a cancel has come; each step is stamped once by the front's wall clock.
public struct CancelReceipt: Hashable, Sendable {
    /// Who asked: a session's label.
    public var requestedBy: String
    /// When the cancel was accepted.
    public var requestedAt: WallTime
    /// When the worker had it in hand.
    public var deliveredAt: WallTime?
    /// When the loader's task was told to stop.
    public var stoppingAt: WallTime?
    /// When the work had really ended.
    public var stoppedAt: WallTime?

    /// A cancel that was just accepted.
    public init(requestedBy: String, requestedAt: WallTime) {
        self.requestedBy = requestedBy
        self.requestedAt = requestedAt
    }
}
