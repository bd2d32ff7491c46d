//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// What happens to the front. Every one is an input of `FrontMachine.handle`.
public enum FrontEvent: Sendable {
    /// A client's frame was read.
    case clientSpoke(PeerID, Principal, ClientEnvelope)
    /// A worker's frame was read.
    case workerSpoke(PeerID, Principal, WorkerEnvelope)
    /// A frame could not be read.
    case malformedFrame(PeerID, FrontChannel)
    /// A peer cannot be reached any more.
    case peerLost(PeerID)
    /// Somebody began or ceased to observe a topic.
    case topicObserved(Topic, Bool)
    /// An object of the cache is not what its name says, or is gone.
    case objectDamaged(ObjectDigest)
    /// The loop was away that long: leases must not suffer.
    case wasAway(milliseconds: Int64)
    /// The disk is full, or has room again.
    case storageFull(Bool)
    /// Everything that had arrived by that instant is handled (nil: the workers' socket was not read empty): deal with deadlines and hand
    /// out jobs. The instant is taken before the reading, so a pause between reading and deciding makes nobody late.
    case inputRead(upTo: MonotonicTime?)
}
