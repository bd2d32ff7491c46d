//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryWire
import Journal

/// The state is what its entries make of it: a second machine takes every durable row, and is compared with the front's and with the disk.
extension Ledger {
    /// The front's own state, as of its last row, which may still be under way like some before it, and what it has decided since.
    func compareState(_ front: FrontMachine, unwritten: [JournalEntry]) {
        comparisonCount += 1
        let state = front.state
        raiseMarks(to: state.replyMarks)
        do throws(CodecError) {
            for (row, entries) in durable.underWay { try follower.take(row, entries, durable: shadow, underWay: durable.underWay) }
            try follower.take(unwritten, after: durable.lastTurn)
        } catch {
            return world.violate(.stateIsReplay, "\(error)")
        }
        let replayed = follower.machine.state
        let part = DurableImage.disagreement(state, replayed, marks: marks, withJobs: !isMemory, isSameEpoch: true)
        guard let part else { return }
        var image = state.image
        image.raiseMarks(to: marks)
        world.violate(.stateIsReplay, image.difference(from: replayed.image, withJobs: !isMemory, isSameEpoch: true) ?? Self.unseen(part))
    }

    /// What waits in the loop has a bound: bytes for the slowest peer and for all, and bytes that were read and are not handled.
    func checkWaiting(_ waiting: FrontProcess.WaitingBytes) {
        let loop = world.variation.loop
        // The frame that fills it is taken whole.
        judge([
            ("bytes for a slow peer", waiting.forSlowest, loop.outboxByteLimit),
            ("bytes for all slow peers", waiting.forAll, loop.outboxesByteLimit + loop.largestFrame),
            ("bytes that are read and not opened", waiting.unhandled, loop.inboxByteLimit + waiting.largestArrival),
            ("snapshots on their way", waiting.snapshots, loop.snapshots),
        ])
    }

    private func judge(_ rows: [(name: String, count: Int, bound: Int)]) {
        for (name, count, bound) in rows where count > bound { world.violate(.boundsHold, "\(count) \(name), at most \(bound)") }
    }

    /// Everything that is kept has a bound, and is counted as what it is.
    func checkBounds(_ front: FrontMachine, topics: (kept: Int, subscribed: Int), unwritten: [JournalEntry]) {
        if let miscount = front.state.miscount { world.violate(.countsAreTrue, miscount) }
        checkOptions(front, unwritten: unwritten)
        let retained = front.state.retainedAmounts(marks: marks)
        let (bounds, loop, swarm) = (world.variation.bounds, world.variation.loop, world.swarm)
        // Each job that is asked for finds room, which `QueueWatch` sees. But what workers held when the queue was filled may wait again, of
        // those too whose leases the dead still have.
        let mostHeld = Self.processesOfLease * swarm.workers * (swarm.slots + swarm.prefetch)
        // Where a turn forgets few, one large result has to wait for its room; `neglected` sees that it comes.
        let forgetsFew = bounds.forgottenJobs < Bounds().forgottenJobs
        let overdueByteCount = forgetsFew ? Self.overdueResults * failureByteCount : 0
        let spared = retained.sessions * min(bounds.sparedByteCount, bounds.retainedByteCount)
        judge([
            ("waiting jobs", retained.waitingJobs, bounds.queuedJobs + mostHeld),
            ("bytes of arguments", retained.argumentByteCount, bounds.queuedByteCount),
            ("bytes of unique keys", retained.uniqueKeyByteCount, bounds.uniqueKeyByteCount),
            ("ended jobs", retained.endedJobs, bounds.endedJobs), ("failed jobs", retained.failedJobs, bounds.failedJobs),
            ("sessions", retained.sessions, bounds.sessions),
            ("bytes of ended jobs", retained.endedByteCount, bounds.endedByteCount + overdueByteCount),
            ("bytes of failed jobs", retained.failedByteCount, bounds.endedByteCount + overdueByteCount),
            ("workers", retained.workers, bounds.workers), ("drained workers", retained.drainedWorkers, bounds.drainedWorkers),
            ("loaders that were offered", retained.offeredLoaders, bounds.offeredLoaders),
            ("feeds", retained.feeds, bounds.feeds), ("values of limits with a rate", retained.limitValues, bounds.limitValues),
            // Each feed has one view, and a detail that found no room leaves a failure in its place.
            ("views", retained.views, bounds.views + retained.feeds),
            ("bytes of details", retained.detailByteCount, bounds.detailByteCount + retained.views * failureByteCount),
            ("topics", topics.kept, loop.topics), ("subscriptions", topics.subscribed, loop.subscriptions),
        ])
        // The reply that fills a bound is kept whole.
        judge([
            ("replies of a session", retained.replies, Int(bounds.requestWindow)),
            ("bytes of replies of a session", retained.replyByteCount, bounds.retainedByteCount + failureByteCount),
            (
                "bytes of replies of all", retained.allRepliesByteCount,
                bounds.allRetainedByteCount + spared + (retained.sessions + 1) * failureByteCount
            ),
            ("replies to reading requests", retained.readings, bounds.readingRequests),
            // Each of them was let in below the bound.
            ("bytes of replies to reading requests beside the largest", retained.readingByteCount, bounds.readingByteCount - 1),
        ])
        if retained.allRepliesByteCount >= bounds.allRetainedByteCount { world.metBounds.count(.allRetainedByteCount) }
    }

    /// Longest text of a failure with its arguments, in bytes.
    private var failureByteCount: Int { 2_048 + 2 * world.variation.failureByteCount }
    /// Largest results that may have come since there was too little room.
    private static let overdueResults = 4
    /// Times that one worker's process can begin anew before the leases of its first life are over.
    private static let processesOfLease = 8

    /// What a new life of the front would read from the disk, checkpoints included.
    func compareDisk(_ head: JournalHead) {
        var restored = Self.emptyMachine
        var restoration = Restoration(head: head)
        do {
            while let row = try restoration.nextRow(from: world.disk) {
                try restored.restore(WireCodec().decodeEntries(row.entries), turn: row.turn, isSlice: row.isSlice)
            }
        } catch {
            return world.violate(.rowsAreReadable, "\(error)")
        }
        checkBundles(of: restored)
        let part = DurableImage.disagreement(restored.state, shadow.state, marks: marks, withJobs: !isMemory, isSameEpoch: true)
        guard let part else { return }
        var image = restored.state.image
        image.raiseMarks(to: marks)
        world.violate(
            .restartKeeps, image.difference(from: shadow.state.image, withJobs: !isMemory, isSameEpoch: true) ?? Self.unseen(part))
    }

    /// The two ways of comparing know the same: one that only says that something differs, and one that says what.
    private static func unseen(_ part: String) -> String { "the states differ where their images do not look: \(part)" }

    /// Each bundle that a new life would know is on the disk, whole, and no other one is.
    private func checkBundles(of restored: FrontMachine) {
        let known = restored.state.bundledJobs
        for (number, jobs) in known.sorted(by: { $0.key < $1.key }) {
            let entries = world.disk.bundles[number].flatMap { try? WireCodec().decodeEntries($0) } ?? []
            let stored = entries.flatMap { entry -> [UInt64] in
                if case .jobsStored(let stored) = entry { stored.jobs } else { [] }
            }
            if stored != jobs { world.violate(.restartKeeps, "bundle \(number) is to have the jobs \(jobs), and has \(stored)") }
        }
        if !isMemory, let orphan = world.disk.bundles.keys.filter({ known[$0] == nil }).min() {
            world.violate(.restartKeeps, "bundle \(orphan) is on the disk, and nothing knows it")
        }
    }

    /// A machine that no entry has changed.
    static var emptyMachine: FrontMachine {
        var settings = FrontSettings(front: FrontProcess.front, epoch: Epoch(1), sessionKey: SessionKey(1, 1))
        settings.feeds = Feeds.definitions
        let start = FrontTime(monotonic: MonotonicTime(nanoseconds: 0), wall: WallTime(milliseconds: 0))
        return FrontMachine(settings: settings, now: start)
    }
}

/// A machine that takes each entry once, as soon as the front has decided it, so that the state can be compared after every turn: to replay
/// what is under way anew each time costs as much as the state is large.
struct Follower {
    typealias Rows = [(row: JournalRow, entries: [JournalEntry])]

    private(set) var machine: FrontMachine
    /// The first row that it has not taken whole.
    private var next: TurnNumber
    /// What it has taken of that row, before there was one.
    private var taken: [JournalEntry] = []

    /// - Parameters:
    ///   - durable: A machine that has taken what is on the disk.
    ///   - last: The last turn on the disk.
    init(_ durable: FrontMachine, last: TurnNumber) {
        machine = durable
        next = last.advanced()
    }

    /// A row is handed over. If it is not what the front has decided, that shows as a difference: rows alone are what a restart would read.
    ///
    /// - Parameters:
    ///   - durable: A machine that has taken what is on the disk.
    ///   - underWay: The rows that are not.
    /// - Throws: what cannot be true in a row.
    mutating func take(_ row: JournalRow, _ entries: [JournalEntry], durable: FrontMachine, underWay: Rows) throws(CodecError) {
        guard row.turn >= next else { return }
        if entries.starts(with: taken) {
            try restore(Array(entries.dropFirst(taken.count)), row.turn)
        } else {
            machine = durable
            for (row, entries) in underWay { try restore(entries, row.turn) }
        }
        (next, taken) = (row.turn.advanced(), [])
    }

    /// What the front has decided and no row has yet.
    mutating func take(_ unwritten: [JournalEntry], after last: TurnNumber) throws(CodecError) {
        guard unwritten.count > taken.count else { return }
        try restore(Array(unwritten.dropFirst(taken.count)), last.advanced())
        taken = unwritten
    }

    private mutating func restore(_ entries: [JournalEntry], _ turn: TurnNumber) throws(CodecError) {
        if !entries.isEmpty { try machine.restore(entries, turn: turn, isSlice: false) }
    }
}
