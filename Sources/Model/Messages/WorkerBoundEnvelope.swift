//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Everything that the front sends to one worker in one frame.
public struct WorkerBoundEnvelope: Hashable, Sendable {
    /// Which front speaks.
    public var front: FrontID
    /// Which life of it.
    public var epoch: Epoch
    /// In order.
    public var messages: [WorkerBoundMessage]
    /// How far the front has come with this worker: grants with leases below it have been sent, in this envelope or before it. None: nothing
    /// is said, because more of the same turn follows.
    public var sentBelow: LeaseID

    /// Joins messages to one worker.
    public init(front: FrontID, epoch: Epoch, messages: [WorkerBoundMessage], sentBelow: LeaseID = .none) {
        self.front = front
        self.epoch = epoch
        self.messages = messages
        self.sentBelow = sentBelow
    }
}
