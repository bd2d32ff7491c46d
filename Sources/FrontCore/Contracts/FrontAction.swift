//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

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
    /// Echo the number of a renewal at once: it decides nothing.
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
