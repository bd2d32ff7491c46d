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
    package let lease: UInt64
    /// The number of the next registration.
    let registrationNumber: UInt64
}

/// What the front decides. The loop carries actions out in order, after the turn is durable, save `answerRenewal` and `answerHeartbeat`.
package enum FrontAction: Hashable, Sendable {
    /// Write to the journal.
    case record(JournalEntry)
    /// Write a bundle of ended jobs beside the journal, with this turn's entries.
    case makeBundle(BundleNumber, [JournalEntry])
    /// Drop a bundle, with this turn's entries.
    case forgetBundle(BundleNumber)
    /// Read a bundle, once what was decided up to now is durable.
    case readBundle(BundleNumber)
    /// Send a message to a client.
    case send(PeerID, SessionID, FrontMessage)
    /// Send a message to a worker.
    case sendToWorker(PeerID, WorkerBoundMessage)
    /// Send a worker a message in a frame of its own, in order with the others: if the frame is unreadable, no other message is lost with it.
    case sendToWorkerApart(PeerID, WorkerBoundMessage)
    /// Give the number of a renewal back at once: it decides nothing.
    case answerRenewal(PeerID, RenewalNumber)
    /// Answer a heartbeat at once: that decides nothing either.
    case answerHeartbeat(PeerID, SessionID, RequestNumber)
    /// Messages of the frame that was handed over are left: hand it over again from there, in that session.
    case goOn(PeerID, SessionID, from: Int)
    /// An item of a topic has a new value, or is removed.
    case changed(Topic, key: String)
    /// Send all items of a topic, as of the end of this turn; `asked`: the text that named it, where it is another one.
    case sendSnapshot(PeerID, SessionID, Topic, asked: String? = nil)
    /// The session has read a part of a snapshot: the next may go.
    case continueSnapshot(PeerID, SessionID, Topic)
    /// Say when this process ends.
    case watch(ProcessIdentity)
    /// The end of this process is of no interest any more.
    case unwatch(ProcessIdentity)
    /// The peer is lost: nothing is kept for it, and its requests that only read are dropped.
    case forget(PeerID)
}

/// What the machine decides, in order, each action with the event that caused it. A buffer to be used again and again.
///
/// An event is noted once for all its actions, where they begin: an action costs no more than without it.
package struct FrontActions: Sendable {
    /// Where the actions of an event begin; they end where those of the next do.
    private struct Run {
        var cause: EventID
        var start: Int
    }

    /// In their order; nil: taken out.
    private var actions: [FrontAction?] = []
    private var runs: [Run] = []
    /// How many actions were taken out since the buffer was emptied, and what caused the last one.
    private var taken = 0
    private var takenRuns = 0
    private var takenCause = EventID.start

    /// An empty buffer.
    package init() {}

    /// How many actions there are.
    package var count: Int { actions.count - taken }

    /// Whether there is none.
    package var isEmpty: Bool { count == 0 }

    /// What is appended from now on follows from that event.
    mutating func begin(_ cause: EventID) {
        // An event that decided nothing leaves no trace, so the notes are never more than the actions and one.
        let start = actions.count
        if let last = runs.indices.last, runs[last].start == start {
            runs[last].cause = cause
        } else {
            runs.append(Run(cause: cause, start: start))
        }
    }

    mutating func append(_ action: consuming FrontAction) { actions.append(action) }

    /// Takes the first action out, with what caused it; nil: there is none. It is moved: copying what an action carries costs more than all else
    /// that is done with most of them.
    package mutating func takeFirst() -> (cause: EventID, action: FrontAction)? {
        guard taken < actions.count, let action = exchange(&actions[taken], with: nil) else {
            removeAll()
            return nil
        }
        while takenRuns < runs.count, runs[takenRuns].start <= taken {
            takenCause = runs[takenRuns].cause
            takenRuns += 1
        }
        taken += 1
        return (takenCause, action)
    }

    /// Empties the buffer and keeps its memory.
    package mutating func removeAll() {
        actions.removeAll(keepingCapacity: true)
        runs.removeAll(keepingCapacity: true)
        (taken, takenRuns, takenCause) = (0, 0, .start)
    }
}

extension FrontActions: Sequence {
    /// Goes through the actions in order.
    package struct Iterator: IteratorProtocol {
        private var rest: FrontActions

        fileprivate init(_ decided: FrontActions) { rest = decided }

        /// The next action and what caused it; nil: there is no other.
        package mutating func next() -> (cause: EventID, action: FrontAction)? { rest.takeFirst() }
    }

    /// A walk through the actions as they are now.
    package func makeIterator() -> Iterator { Iterator(self) }
}
