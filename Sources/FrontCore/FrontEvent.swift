//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// What happens to the front. Every one is an input of `FrontMachine.handle`.
public enum FrontEvent: Sendable {
    /// A client's frame was read: `count` of its messages are to be handled, beginning with that at `from`. Where some are left, the
    /// action `goOn` says so; so a frame of thousands of messages is spread over as many turns as it takes.
    case clientSent(PeerID, Principal, ClientEnvelope, from: Int = 0, count: Int = .max)
    /// A worker's frame was read; the same holds.
    case workerSent(PeerID, Principal, WorkerEnvelope, from: Int = 0, count: Int = .max)
    /// A client's frame was read that has to wait, because the journal keeps up no longer: its heartbeats alone count, at once.
    case clientWaits(PeerID, ClientEnvelope)
    /// A worker's frame was read that has to wait: its renewals alone count, at once.
    case workerWaits(PeerID, WorkerEnvelope)
    /// A frame could not be read, and why.
    case malformedFrame(PeerID, FrontChannel, CodecError)
    /// So many requests for pages came whose number could not be read.
    case pagesMalformed(UInt64)
    /// A peer cannot be reached any more.
    case peerLost(PeerID)
    /// A watched process has ended: nothing of it runs any more.
    case processEnded(ProcessIdentity)
    /// So much waits for a peer that it is to ask for nothing more; or it has taken enough of it.
    case peerFull(PeerID, Bool)
    /// A topic is kept from now on, because somebody observes it or asked for it; or it is kept no longer.
    case topicObserved(Topic, Bool)
    /// An object of the cache is not what its name says, or is gone.
    case objectDamaged(ObjectDigest)
    /// The loop was away that long: leases must not suffer.
    case loopPaused(Duration)
    /// The wall clock was set by that much beside the time that passed: forward, or back if it is negative.
    case clockStepped(by: Duration)
    /// A checkpoint is to be written, and jobs that have ended are not to be in it; the first time, and again until none is.
    case checkpointNears(isNew: Bool)
    /// A bundle of ended jobs was read; nil: it could not be.
    case bundleRead(BundleNumber, [JournalEntry]?)
    /// The disk is full, or has room again.
    case storageFull(Bool)
    /// Everything that was decided up to then has been sent: a row is durable, or there was none.
    case sent(DecisionMark)
    /// The turn has read what it could: deal with deadlines and hand out jobs.
    case inputRead(TurnReading)
}
