//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How far a cancel has come; each step is stamped once by the front's wall clock.
public struct CancelReceipt: Hashable, Sendable {
    /// Who asked: a session's label; `timeOut`: nobody did.
    public var requestedBy: String
    /// When the cancel was accepted.
    public var requestedAt: WallTime
    /// When the worker had it in hand.
    public var deliveredAt: WallTime?
    /// When the loader's task was asked to stop.
    public var stoppingAt: WallTime?
    /// When the worker killed the process that the work runs in, since the work had not stopped in its loader's time.
    public var killedAt: WallTime?
    /// When the worker began to end because of it, since nothing less stops the work.
    public var endingAt: WallTime?
    /// When the work had really ended.
    public var stoppedAt: WallTime?

    /// Who asks work to stop whose time is over.
    package static let timeOut = "a time-out"

    /// How far it has come at the worker, for people; nil: no further than that it was asked.
    package var stepLine: String? {
        if endingAt != nil { return "the work does not stop: its worker ends because of it" }
        if killedAt != nil { return "the work did not stop in its time: the process that it runs in was killed" }
        if stoppingAt != nil { return "its loader was asked to stop" }
        return deliveredAt == nil ? nil : "its worker has it in hand"
    }

    /// A cancel that was just accepted.
    package init(requestedBy: String, requestedAt: WallTime) {
        self.requestedBy = requestedBy
        self.requestedAt = requestedAt
    }
}

/// Who asks that a job be cancelled. On the wire and in the journal it is a label, since people read it.
package enum CancelRequester: Hashable, Sendable {
    /// A client, by its label.
    case client(String)
    /// The front: what the job was to make is of no use any more.
    case front
    /// Nobody is attached to the feed that it loads for.
    case nobodyAttached
    /// A newer job does its work too, and replaces it.
    case replacedBy(JobID)
    /// Another job has made the order that it was to make.
    case madeBy(JobID)

    /// What people read.
    package var label: String {
        switch self {
        case .client(let label): label
        case .front: "front"
        case .nobodyAttached: "nobody is attached"
        case .replacedBy(let job): "job \(job), which replaces it"
        case .madeBy(let job): "job \(job), which made that order too"
        }
    }
}
