//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import FrontCore

/// What came of one seed.
package struct SeedReport: Sendable {
    /// The seed.
    package let seed: UInt64
    /// The first broken promise; nil: all were kept.
    package let violation: Violation?
    /// What was done to the world.
    package let faults: KindCounts<FaultKind>
    /// Which bounds of the front it met.
    package let metBounds: KindCounts<MetBound>
    /// At which of its bounds somebody was told `busy`.
    package let busy: KindCounts<BusyBound>
    /// How long it lasted, in its own milliseconds.
    package let simulatedMilliseconds: Int64
    /// Events that happened.
    package let eventCount: UInt64
    /// Jobs that clients were told to be accepted.
    package let acceptedCount: Int
    /// What the front granted.
    package let grants: GrantCounts
    /// Runs that really began.
    package let runCount: UInt64
    /// Times at which a replica that called itself verified was compared with the front.
    package let verifiedCount: UInt64
    /// Turns of the front.
    package let turnCount: UInt64
    /// Times at which the front's state was compared with the replay of its journal.
    package let comparisonCount: UInt64
    /// A sum over all events: equal for equal seeds.
    package let fingerprint: UInt64
    /// What happened last, oldest first; empty unless asked for.
    package let trace: [String]
}

/// How many jobs were granted, each time that a worker was to begin one.
package struct GrantCounts: Sendable, Hashable {
    /// All of them.
    package var all: UInt64 = 0
    /// Those of jobs that count in a limit.
    package var limited: UInt64 = 0
    /// Those of them after whose turn a limit of theirs was full: it had no permit for one more beside them.
    package var full: UInt64 = 0
    /// Those of them that took the last permit of a limit themselves: one in a turn at most, unless jobs have weights or values.
    package var last: UInt64 = 0

    /// None yet.
    package init() {}

    /// Adds those of another world.
    package mutating func add(_ other: GrantCounts) {
        all += other.all
        limited += other.limited
        full += other.full
        last += other.last
    }
}

/// How often each kind of thing happened in a world.
package struct KindCounts<Kind: Hashable & Sendable>: Sendable, Hashable {
    private var counts: [Kind: UInt64] = [:]

    /// Nothing yet.
    package init() {}

    /// How often that kind happened.
    package subscript(kind: Kind) -> UInt64 { counts[kind] ?? 0 }

    /// All of them.
    package var total: UInt64 { counts.values.reduce(0, +) }

    /// Counts one, or several.
    mutating func count(_ kind: Kind, times: UInt64 = 1) { counts[kind, default: 0] += times }

    /// Adds another tally.
    package mutating func add(_ other: KindCounts) {
        for (kind, count) in other.counts { counts[kind, default: 0] += count }
    }
}

/// What a world does to those who live in it.
package enum FaultKind: String, Sendable, CaseIterable {
    /// A process ended between two of its calls.
    case crashBetweenCalls
    /// A process stood still between two of its calls.
    case pauseBetweenCalls
    /// The front was killed.
    case frontKilled
    /// A worker was killed.
    case workerKilled
    /// A client was killed.
    case clientKilled
    /// A process was stopped and went on later.
    case processStopped
    /// The kernel ended a worker whose lease was over.
    case killTimer
    /// A job ended its worker.
    case poison
    /// A worker was asked to drain.
    case drain
    /// A connection broke; what was on its way was lost.
    case connectionBroken
    /// A broken connection's last frames came after those of the next one.
    case lateFrames
    /// One direction of a connection stood still.
    case oneWayBlocked
    /// A frame took far longer than usual.
    case slowFrame
    /// A frame came twice.
    case frameRepeated
    /// A publication was lost to one observer.
    case publicationDropped
    /// A socket took no more.
    case socketFull
    /// The disk was slow.
    case slowCommit
    /// The disk was full.
    case diskFull
    /// The disk failed.
    case diskFailed
    /// A crash found a row half written.
    case rowTorn
    /// A crash found a row written but not announced.
    case rowUnannounced
    /// Nobody could tell whether a commit had written its row: it had.
    case rowInDoubtWritten
    /// Nobody could tell whether a commit had written its row: it had not.
    case rowInDoubtLost
    /// The journal did not know for a while whether the front is the writer.
    case authorityLapsed
    /// Another front took over meanwhile.
    case frontDeposed
    /// The wall clock jumped.
    case wallJump
    /// A worker could not record the start of a job with limits.
    case startUnrecorded
    /// A loader went on though it was cancelled.
    case cancelIgnored
    /// An object turned out damaged.
    case objectDamaged
    /// An object that nothing names was collected.
    case objectCollected
    /// A byte of a publication flipped in a client's memory.
    case byteFlipped
    /// A hostile client or worker sent something malformed or extreme.
    case hostileFrame
    /// A client closed its session.
    case sessionClosed
}

/// A bound of the front or a client that a world met, beside those at which somebody is told `busy`: what happens there was then really tried, and
/// not only drawn.
package enum MetBound: String, Sendable, CaseIterable {
    // MARK: What is seen in what the front sends

    /// A snapshot had several parts.
    case snapshotParts
    /// A topic that nobody observed was dropped and brought up again.
    case topicAge
    /// A session lapsed.
    case sessionGracePeriod
    /// An ended job was forgotten.
    case endedJobs
    /// A grant was as long as it may be.
    case grantJobs
    /// A message with outcomes was as long as it may be.
    case answerRows
    /// An argument or an item was too large.
    case payloadByteCount
    /// An item's id was too long.
    case itemIDByteCount
    /// A worker that offered too many loaders, or held too many leases, was refused.
    case loadersPerWorker
    case heldLeases
    /// A view that nobody used was forgotten.
    case viewAge
    /// Feeds were left to let go of a damaged object in a later turn.
    case damageLooks
    /// Jobs of a lost worker, or of a feed that was reset, were left to a later turn.
    case lostJobs
    case resetJobs
    /// Jobs of an action with many were left to a later turn.
    case bulkActionJobs
    /// More lists of work of one kind were left than one turn goes on with.
    case workLists
    /// A list went on at another page.
    case pageByteCount
    /// What one turn had for one client did not fit a frame.
    case largestFrame

    // MARK: What is seen when what is kept is compared with its bounds

    /// The replies of all sessions took so many bytes that each may have but a few.
    case allRetainedByteCount

    // MARK: What is seen in the loop between two turns

    /// A turn left messages for the next one.
    case turnMessages
    /// So much was gathered during a commit that only renewals and heartbeats were handled.
    case gatherByteLimit
    /// A socket was left unread, for one peer or all had sent too much.
    case inboxByteLimit

    /// Ended jobs were read out of a bundle beside the journal.
    case bundleJobs

    /// Several rows were under way at the same time.
    case rowsUnderWay

    // MARK: What clients say themselves

    /// A client had no room for a request or for the outcome of a job.
    case clientBusy
    /// What a client submitted at once was too large for one message.
    case clientTooLarge
}

/// Worlds by their seeds: each is the same every time.
package enum Seeds {
    /// The seeds that every build runs.
    package static let standard: ClosedRange<UInt64> = 1...200

    /// Whether all jobs of a world crowd into one limit: it is full most of the time then.
    package static func isCrowded(_ seed: UInt64) -> Bool { FlowVariation(seed: seed).isCrowded }

    /// Lets one world happen from its beginning to its end or its first broken promise.
    ///
    /// - Parameters:
    ///   - bug: a mistake that is to be noticed; the world then looks for the promise that it breaks and no other.
    ///   - isTraced: whether the report tells what happened last.
    package static func run(_ seed: UInt64, bug: InjectedBug? = nil, isTraced: Bool = false) -> SeedReport {
        World(seed: seed, bug: bug, isTraced: isTraced).run()
    }
}
