//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// What the front decides. The loop carries actions out in order, after the turn is durable, save `answerRenewal` and `answerHeartbeat`.
public enum FrontAction: Hashable, Sendable {
    /// Write to the journal.
    case record(JournalEntry)
    /// Write a bundle of ended jobs beside the journal, with this turn's entries.
    case makeBundle(BundleNumber, [JournalEntry])
    /// Drop a bundle, with this turn's entries.
    case forgetBundle(BundleNumber)
    /// Read a bundle, once what was decided up to now is durable.
    case readBundle(BundleNumber)
    /// Tell a client.
    case send(PeerID, SessionID, FrontMessage)
    /// Tell a worker.
    case sendToWorker(PeerID, WorkerBoundMessage)
    /// Tell a worker in a frame of its own, in order with what else it is told: should it be unreadable, nothing is lost with it.
    case sendToWorkerApart(PeerID, WorkerBoundMessage)
    /// Echo the number of a renewal at once: it decides nothing.
    case answerRenewal(PeerID, RenewalNumber)
    /// Answer a heartbeat at once: that decides nothing either.
    case answerHeartbeat(PeerID, SessionID, RequestNumber)
    /// Messages of the frame that was handed over are left: hand it over again from there, in that session.
    case goOn(PeerID, SessionID, from: Int)
    /// An item of a topic has a new value, or is gone.
    case changed(Topic, key: String)
    /// Send all items of a topic, as of the end of this turn; `asked`: the text that named it, where it is another one.
    case sendSnapshot(PeerID, SessionID, Topic, asked: String? = nil)
    /// The session has read a part of a snapshot: the next may go.
    case continueSnapshot(PeerID, SessionID, Topic)
    /// Say when this process ends.
    case watch(ProcessIdentity)
    /// The end of this process is of no interest any more.
    case unwatch(ProcessIdentity)
    /// The peer is gone: nothing is kept for it, and what it only wanted to read is not read for it any more.
    case forget(PeerID)
}
