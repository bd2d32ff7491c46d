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

    /// Joins messages to one worker.
    public init(front: FrontID, epoch: Epoch, messages: [WorkerBoundMessage]) {
        self.front = front
        self.epoch = epoch
        self.messages = messages
    }
}
