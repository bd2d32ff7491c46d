//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Everything that a worker sends to the front in one frame.
public struct WorkerEnvelope: Hashable, Sendable {
    /// The worker's life.
    public var worker: WorkerID
    /// The life of the front it is attached to; none before `registered`.
    public var epoch: Epoch
    /// Its attachment; none before `registered`.
    public var registrationNumber: RegistrationNumber
    /// In order.
    public var messages: [WorkerMessage]

    /// Joins messages of one worker.
    public init(worker: WorkerID, epoch: Epoch = .none, registrationNumber: RegistrationNumber = .none, messages: [WorkerMessage]) {
        self.worker = worker
        self.epoch = epoch
        self.registrationNumber = registrationNumber
        self.messages = messages
    }
}
