//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import Model

/// For whoever checks the loop from outside: nothing here is used while serving.
extension FrontLoop {
    /// The machine as it is now.
    package var present: FrontMachine { machine }

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

    /// How often somebody was told `busy` at each bound, in this life of the front.
    package var busyCounts: [BusyBound: UInt64] { machine.turn.context.busyCounts }

    /// What came late or was refused in this life of the front.
    package var refusals: RefusalCounts {
        let jobs = machine.turn.state.jobs
        return RefusalCounts(
            late: machine.turn.context.lateCounts, ofJobs: jobs.refusals.values.reduce(0, +), ofScheduler: jobs.scheduler.refusals)
    }

    /// Topics beside the front's own: how many are kept, and how many are subscribed to.
    package var topicCounts: (kept: Int, subscribed: Int) { topics.countsBesideFront }

    /// Snapshots of which parts are left to be sent.
    package var snapshotCount: Int { snapshots.count }

    /// Bytes that wait for all slow peers.
    package var outboxByteCount: Int { outboxes.byteCount }

    /// Bytes that wait for the slowest peer.
    package var largestOutboxByteCount: Int { outboxes.largestByteCount }
}
