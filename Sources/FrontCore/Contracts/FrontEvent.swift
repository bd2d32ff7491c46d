//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// What happens to the front. Every one is an input of `FrontMachine.handle`.
package enum FrontEvent: Sendable {
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
    /// An object of the cache does not match its name, or is missing.
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

/// What a turn has read: nobody is late by anything that still lies in a socket.
package struct TurnReading: Hashable, Sendable {
    /// When the turn began to read. Lateness counts up to here and not to the clock's present time, so a pause between reading and deciding
    /// makes nobody late.
    package var began: MonotonicTime
    /// Whether everything that workers had sent by then is handled.
    package var isWorkersDone: Bool
    /// Whether of workers only what decides nothing was handled, because a commit takes long or does not fit on the disk.
    package var isHeld: Bool
    /// Whether everything that clients had sent by then has left their socket.
    package var isClientsDone: Bool
    /// Whether the disk keeps what clients say from being handled: nobody is late by that.
    package var isKeptByDisk: Bool
    /// Clients of whom something was read that is not handled yet: what they said last is not known.
    package var waitingClients: [PeerID]
    /// How long the oldest decision has waited to be durable: it has not left yet.
    package var undurable: Duration

    /// What a turn has read.
    package init(
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

/// The number of an event in this epoch, from 1 in the order in which the machine handles them.
///
/// Every action names the event that caused it, so that a line of a log or of a trace can be followed back to its cause.
package struct EventID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The beginning of this epoch, which decides too.
    package static let start = Self(0)

    /// The number.
    package let rawValue: UInt64

    /// The event with that number.
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    package var description: String { String(rawValue) }

    /// The event that comes next.
    func advanced() -> Self { Self(rawValue &+ 1) }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A point in the order of decisions: everything before it has smaller numbers, everything after it these or greater ones.
package struct DecisionMark: Hashable, Sendable {
    /// The number of the next lease.
    var lease: UInt64
    /// The number of the next registration.
    var registrationNumber: UInt64
}
