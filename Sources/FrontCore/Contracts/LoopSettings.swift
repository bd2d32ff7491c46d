//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// How the loop reads, gathers and sends.
package struct LoopSettings: Sendable {
    /// Bytes that are read from one channel, and of which are handled, in one turn before the others have theirs: four of the largest frames.
    package var readByteBudget = 4 << 20
    /// Messages of workers, and as many of clients, that one turn handles: more than a heartbeat of each session.
    package var turnMessages = 8_192
    /// Steps of the machine after which a turn handles no more messages of workers, and the same of clients. A step is about a microsecond, so
    /// nobody waits longer than some 50 ms for the work of others.
    package var turnSteps = 50_000
    /// Messages of one peer that are handled before the next has its turn: so that a peer that sends little does not wait for one
    /// that sends thousands.
    package var shareMessages = 64
    /// Steps for one peer before the next has its turn: some 4 ms.
    package var shareSteps = 4_000
    /// Subscriptions that one turn reads: observers that all come back at once are spread over several turns. As many as are remembered take 20
    /// turns.
    package var turnSubscriptions = 1_024
    /// Bookmarks of topics that one turn publishes, and topics that it drops: thousands may be due at once. All topics take ten turns.
    package var turnBookmarks = 1_024
    /// Snapshots that one turn begins: each may bring a topic up. The others wait for the next turns. One for each session takes five turns.
    package var turnSnapshots = 1_024
    /// Bytes that one peer has read and not handled; while one has so many, the socket is not read, or, where it has to be read, what comes
    /// from that peer is dropped as if it had been lost on the way.
    package var peerInboxByteLimit = 4 << 20
    /// The same for all workers, and for all clients: sixteen peers that have as many as they may.
    package var inboxByteLimit = 64 << 20
    /// How long peers at their bound may keep the socket from being read; after that it has to be, for the heartbeats of the others. A tenth of the
    /// time between two heartbeats: nobody is late by it.
    package var closedGracePeriod: Duration = .milliseconds(100)
    /// Rows that may be under way to the journal, from 1. One is best for a disk of its own: what comes during a commit shares the next one. A
    /// journal behind a network would have each turn wait for two round trips.
    package var rowsUnderWay = 1
    /// Bytes of entries and messages that one turn gathers while commits run; beyond it only renewals and heartbeats are handled. They are in memory
    /// until the row that they become is durable. As many as one turn reads of workers and of clients together (`readByteBudget`).
    package var gatherByteLimit = 8 << 20
    /// Bytes that wait for one slow peer. From half of it on a client's reading requests are refused with `busy`, so that what it must be sent has
    /// room; beyond it frames are dropped, and asked for again by their receiver. Four of the largest frames: who reads has more on its way while one
    /// is written, and who does not read costs no more.
    package var outboxByteLimit = 4 << 20
    /// The same for all slow peers: 64 that have as many as they may.
    package var outboxesByteLimit = 256 << 20
    /// Bytes of snapshots that one turn sends; who asks beyond it waits. A quarter of those that may be on their way, so that no single turn makes
    /// them all.
    package var snapshotByteLimit = 64 << 20
    /// Largest frame that is sent.
    package var largestFrame = MessageBounds.frameByteCount
    /// Being away longer than this moves lease deadlines: longer than any turn should take, and no longer than the grace after a lease.
    package var loopPauseLimit: Duration = .milliseconds(500)
    /// A wall clock that shows so much more or less than the time that has passed was set: more than reading two clocks one after the other takes.
    package var clockStep: Duration = .milliseconds(500)
    /// Bytes of items that one part of a snapshot has, or one published change, or one item; never more than half of the largest frame.
    package var snapshotPartByteLimit = MessageBounds.halfFrameByteCount
    /// Snapshot parts on their way to one client: one travels while the client reads the other, and more would only wait for a slow one.
    package var snapshotPartsInFlight = 2
    /// Snapshots that are on their way in all; beyond it the client gets the answer to ask again later. Four for each session that may be open: after a
    /// restart all ask at once.
    package var snapshots = 20_000
    /// Bytes of them, also of parts that are sent already; beyond it likewise. One snapshot of every topic that is kept (`topicByteLimit`).
    package var snapshotsByteLimit = 256 << 20
    /// Topics of feeds, views and jobs that are kept; beyond it those that nobody observes go, then new ones are not brought up. One for each feed
    /// that may be live.
    package var topics = 10_000
    /// Bytes of their items; from there on likewise, and beyond it one that changes goes. So 4,096 views with the largest details fit.
    package var topicByteLimit = 256 << 20
    /// Topics whose subscription is remembered; beyond it new ones are not brought up. Two for each topic. libzmq keeps them too, and one of 1,000
    /// bytes took some 138 kB there.
    package var subscriptions = 20_000
    /// Bytes of journal rows after which a checkpoint begins: a restart reads little more than so many behind the newest one, and with fewer the
    /// state would be written more often.
    package var checkpointByteCount = 64 << 20
    /// Chunks of 256 jobs that one slice of a checkpoint carries: a turn looks at no more records for it, however short they are. They are 8,192
    /// records, as many as a turn handles messages.
    package var sliceChunks = 32
    /// Bytes of limits, pauses, workers, sessions, feeds, views and jobs that one slice carries, or one of them: what waits for a row waits for the
    /// slice in it too.
    package var sliceByteLimit = 256 << 10
    /// Damaged objects that were not passed to the machine yet; a further one is found again when it is read next.
    package var damagedObjects = 1_024
    /// How long a topic that nobody observes is still kept, and a snapshot that nobody reads: who comes back soon finds it as it was. A minute is
    /// more than a program takes to be started again, and more would keep memory for nobody.
    package var topicAge: Duration = .seconds(60)
    /// Objects younger than this, or than the oldest running grant by as much, are never collected: the report that names one may not have come yet.
    /// Twice `namesPause`, and far above a lease, with which a worker that was cut off ends.
    package var collectAge: Duration = .seconds(600)
    /// How often the names that collection must spare are noted for a turn that becomes durable: shorter than `collectAge`, so that
    /// what was named since then is young.
    package var namesPause: Duration = .seconds(300)

    /// The defaults.
    package init() {}

    /// Bytes that wait for a client from which on it gets nothing more that it only asked to read.
    var fullByteCount: Int { outboxByteLimit / 2 }
}

/// Why a loop cannot go on.
package enum LoopEnding: Error, Hashable, Sendable {
    /// Another front has taken over.
    case fenced
    /// The journal cannot be written.
    case journalFailed(ErrorCause)
    /// The journal cannot be read now; a front that starts later may.
    case journalUnreadable(ErrorCause)
    /// The journal can never be read.
    case damaged(ErrorCause)
    /// The row of that turn is as it was written, and says what cannot be read or cannot be true.
    case damagedRow(TurnNumber, ErrorCause)
    /// So many jobs of an earlier epoch have not ended, and this one would not journal their ends: the next would run them again.
    case holdsDurableJobs(UInt64)
}
