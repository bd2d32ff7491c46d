//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// What a turn has read: nobody is late by anything that still lies in a socket.
public struct TurnReading: Hashable, Sendable {
    /// When the turn began to read. Lateness counts up to here and not to the clock's present time, so a pause between reading and deciding
    /// makes nobody late.
    public var began: MonotonicTime
    /// Whether everything that workers had sent by then is handled.
    public var isWorkersDone: Bool
    /// Whether of workers only what decides nothing was handled, because a commit takes long or does not fit on the disk.
    public var isHeld: Bool
    /// Whether everything that clients had sent by then has left their socket.
    public var isClientsDone: Bool
    /// Whether the disk keeps what clients say from being handled: nobody is late by that.
    public var isKeptByDisk: Bool
    /// Clients of whom something was read that is not handled yet: what they said last is not known.
    public var waitingClients: [PeerID]
    /// How long the oldest decision has waited to be durable: it has not left yet.
    public var undurable: Duration

    /// What a turn has read.
    public init(
        began: MonotonicTime, isWorkersDone: Bool, isClientsDone: Bool, isHeld: Bool = false, isKeptByDisk: Bool = false,
        waitingClients: [PeerID] = [], undurable: Duration = .zero
    ) {
        self.began = began
        self.isWorkersDone = isWorkersDone
        self.isClientsDone = isClientsDone
        self.isHeld = isHeld
        self.isKeptByDisk = isKeptByDisk
        self.waitingClients = waitingClients
        self.undurable = undurable
    }
}
