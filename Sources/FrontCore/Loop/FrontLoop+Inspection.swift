//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// For checks from outside: nothing here is used while serving.
extension FrontLoop {
    /// The machine as it is now.
    package var present: FrontMachine { machine }

    /// What is neglected, if anything is, in words: work, what observers see of feeds that wait, and why jobs are shown to wait.
    package var neglected: (work: String?, wait: String?, reason: String?) {
        let (turn, queue) = (machine.turn, machine.queue)
        return (turn.forgottenWork(machine.feeds, queue), machine.feeds.staleWait(queue: queue, in: turn), queue.waitFault(in: turn))
    }

    /// What the machine has decided and no row has yet.
    package var unwrittenEntries: [JournalEntry] { gathered.entries }

    /// Bytes of frames that were read from workers and are not opened, and the same of clients.
    package var inboxByteCounts: [Int] {
        [workerInbox.unopenedByteCount, clientInbox.unopenedByteCount]
    }

    /// Whether a turn left messages that it had read for the next one, though nothing kept it from handling them.
    package var leftMessages: Bool { !isHolding && !(workerInbox.isEmpty && clientInbox.isEmpty) }

    /// Whether so much is gathered for the next row that what decides something has to wait.
    package var isGatheredFull: Bool { isHolding && !isStuck }

    /// Whether a socket is left unread because a peer, or all, have sent too much.
    package var isInboxFull: Bool { !workerInbox.mayRead || !clientInbox.mayRead }

    /// How many refusals with `busy` each bound has caused in this epoch.
    package var busyCounts: [BusyBound: UInt64] { machine.turn.context.busyCounts }

    /// What came late or was refused in this epoch.
    package var refusals: RefusalCounts {
        let jobs = machine.turn.state.jobs
        return RefusalCounts(
            late: machine.turn.context.ignoredCounts, ofJobs: jobs.refusals, ofScheduler: jobs.scheduler.refusals)
    }

    /// Topics beside the front's own: how many are kept, and how many are subscribed to.
    package var topicCounts: (kept: Int, subscribed: Int) { topics.countsBesideFront }

    /// Requests that wait for ended jobs to be read, of the session of which most do.
    package var waitingReadings: Int { machine.queue.waitingReadings }

    /// Snapshots of which parts are left to be sent.
    package var snapshotCount: Int { snapshots.count }

    /// Bytes that wait for all slow peers.
    package var outboxByteCount: Int { outboxes.byteCount }

    /// Bytes that wait for the slowest peer.
    package var largestOutboxByteCount: Int { outboxes.largestByteCount }
}

/// How often something changed nothing, for checks from outside.
package struct RefusalCounts: Sendable {
    /// What came late, by why.
    package let late: [FrontIgnoredReason: UInt64]
    /// Entries that moved no job, by why, those of the log that was read at the start included.
    package let ofJobs: [JobRefusal: UInt64]
    /// What the scheduler did not do (`SchedulerRefusal`).
    package let ofScheduler: Int
}

/// Something that the loop refused or dropped, for a log. Nothing is decided by it: the peer repeats its message, or gets a refusal.
package struct LoopNote: Hashable, Sendable {
    /// What it was.
    package enum Kind: Hashable, Sendable {
        /// A frame that had come could not be read.
        case frameRefused(FrontChannel, CodecError)
        /// A frame of so many bytes was not kept for a slow peer: too much waits for it, or for all.
        case frameDropped(byteCount: Int)
        /// A frame of so many bytes could not be sent: there is no such peer any more.
        case peerGone(byteCount: Int)
        /// A worker is not counted on any more: its lease or its process has ended, or it has closed.
        case workerGivenUp(WorkerID)
    }

    /// What it was.
    package let kind: Kind
    /// Who was to be sent something, or had sent it; nil: it is about no connection.
    package let peer: PeerID?
    /// The event that it goes back to.
    package let cause: EventID

    /// A note of something.
    package init(kind: Kind, peer: PeerID?, cause: EventID) {
        (self.kind, self.peer, self.cause) = (kind, peer, cause)
    }

    /// The line of a log, without the fields beside it.
    package var text: String {
        switch kind {
        case .frameRefused(let channel, let error): "a frame of \(channel) is refused: \(error.description)"
        case .frameDropped(let byteCount): "a frame of \(byteCount) bytes is dropped: too much waits for its receiver, who asks again"
        case .peerGone(let byteCount): "a frame of \(byteCount) bytes cannot be sent: its receiver is no longer connected"
        case .workerGivenUp(let worker): "worker \(worker) is given up"
        }
    }
}
