//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryClient
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

    /// What waits in the loop has a bound: bytes for the slowest peer and for all, bytes that were read and are not handled, and what one session
    /// asks of ended jobs.
    func checkWaiting(_ waiting: FrontProcess.WaitingBytes) {
        let loop = world.variation.loop
        // The frame that fills it is taken whole.
        judge([
            ("bytes for a slow peer", waiting.forSlowest, loop.outboxByteLimit),
            ("bytes for all slow peers", waiting.forAll, loop.outboxesByteLimit + loop.largestFrame),
            ("bytes that are read and not opened", waiting.unhandled, loop.inboxByteLimit + waiting.largestArrival),
            ("snapshots on their way", waiting.snapshots, loop.snapshots),
            ("requests of a session that wait for ended jobs", waiting.readings, world.variation.bounds.readingRequests),
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
            ("sessions", retained.sessions, bounds.sessions),
            ("workers", retained.workers, bounds.workers), ("drained workers", retained.drainedWorkers, bounds.drainedWorkers),
            ("loaders that were offered", retained.offeredLoaders, bounds.offeredLoaders),
            ("feeds", retained.feeds, bounds.feeds), ("values of limits with a rate", retained.limitValues, bounds.limitValues),
            // Each feed has one view, and a detail that found no room leaves a failure in its place.
            ("views", retained.views, bounds.views + retained.feeds),
            ("bytes of details", retained.detailByteCount, bounds.detailByteCount + retained.views * failureByteCount),
            ("topics", topics.kept, loop.topics), ("subscriptions", topics.subscribed, loop.subscriptions),
        ])
        for kind in EndedKind.allCases {
            judge([
                ("\(kind) jobs", retained.ended[kind].jobs, bounds.retention[kind].count),
                ("bytes of \(kind) jobs", retained.ended[kind].byteCount, bounds.endedByteCount + overdueByteCount),
            ])
        }
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

/// When everything has ended: what is shown, counted and ordered is compared with what the front holds.
extension Ledger {
    /// What observers are shown that differs from what the front holds; nil: nothing. Counts and reasons may be a little late.
    func stale(at front: FrontProcess) -> String? {
        for client in world.clients {
            for replica in client.replicas {
                if let difference = front.stale(replica.topic, replica.sortedItems) { return "to \(client.name): \(difference)" }
            }
        }
        return nil
    }

    /// The checks of the end.
    func checkRest(at front: FrontProcess) {
        front.inspectAtRest()
        checkAudit()
        checkViews { front.item($0, of: $1) }
        checkSaves(at: front)
        for job in acceptedJobs where entries[job]?.waitsForEver == true && entries[job]?.state == nil && !mayBeForgotten(job) {
            guard case .job(let summary)? = front.item("job", of: .job(job)) else { continue }
            if summary.state == .cancelled, entries[job]?.isCancelConfirmed == true { continue }
            // Its time may come after the end of the world.
            if summary.state == .scheduled { continue }
            if summary.state != .waiting { world.violate(.acceptedIsKept, "job \(job), which nobody can run, is \(summary.state.name)") }
        }
        checkCounts(at: front)
    }

    private func checkSaves(at front: FrontProcess) {
        guard !isMemory else { return }
        let missing = saves.missing { key in
            guard case .feed(let feed)? = front.item("feed", of: .feed(key)) else { return nil }
            return feed.content?.object.digest
        }
        if let missing { world.violate(.saveStays, missing) }
    }

    private func checkCounts(at front: FrontProcess) {
        guard !isMemory, !world.variation.forgetsEndedJobs else { return }
        for client in world.clients {
            for replica in client.replicas where replica.topic == .jobs {
                guard let shown = replica.counts else { continue }
                var own = queue.counts
                (own.oldestWaiting, own.failures, own.bulkActions) = (shown.oldestWaiting, shown.failures, shown.bulkActions)
                // Which loaders are offered no entry says: each job and each worker is looked at. No world has so many that some are summed up.
                own.unoffered = front.unofferedJobs
                if shown != own { world.violate(.countsAreTrue, "\(client.name) sees \(shown), the entries say \(own)") }
            }
        }
    }
}

/// A restart keeps every accepted job, every feed and every view: what a new life knows is compared with the durable rows.
extension Ledger {
    /// A new life has read the journal.
    func frontRestored(_ item: (_ key: String, _ topic: Topic) -> ItemValue?) {
        for job in durable.jobs where durable.ends[job] == nil {
            guard case .job(let summary)? = item("job", .job(JobID(job))) else {
                world.violate(.restartKeeps, "job \(job) is not known")
                continue
            }
            let isHeld = summary.state == .running || summary.state == .cancelling
            if isHeld != durable.held.contains(job) {
                world.violate(.restartKeeps, "job \(job) is \(summary.state.name), a worker holds it: \(durable.held.contains(job))")
            }
            if durable.cancels.contains(job), summary.state == .running {
                world.violate(.restartKeeps, "the cancel of job \(job) is forgotten")
            }
        }
        for (key, last) in durable.lastFeeds {
            guard case .feed(let feed)? = item("feed", .feed(key)) else {
                world.violate(.restartKeeps, "feed \(key) is not known")
                continue
            }
            if feed.content != last.content { world.violate(.restartKeeps, "feed \(key) has other content") }
            if feed.failure != last.failure { world.violate(.restartKeeps, "feed \(key) has another failure") }
        }
        for (key, views) in durable.lastViews {
            for (name, last) in views { compareView(last, of: key, with: item("view", .view(key, name))) }
        }
    }

    /// A new life goes on with what the last one left to do.
    func checkWork(_ left: [String]) {
        for name in durable.work.subtracting(left).sorted() { world.violate(.workGoesOn, "a new life does not know of the \(name)") }
    }

    private func compareView(_ last: ViewState, of key: FeedKey, with item: ItemValue?) {
        guard case .view(let view)? = item else { return world.violate(.restartKeeps, "view \(last.name) of \(key) is not known") }
        guard view.version == last.version else {
            return world.violate(.restartKeeps, "view \(last.name) of \(key) is of version \(view.version), not \(last.version)")
        }
        if view.selection != last.selection { world.violate(.restartKeeps, "view \(last.name) of \(key) has another selection") }
    }
}

extension ReplicaMachine {
    /// The counts that a replica of the jobs shows; nil: it shows none.
    var counts: JobCounts? {
        for item in sortedItems where item.key == Array(ItemKey.counts.utf8) {
            if case .counts(let counts)? = try? WireCodec().decodeItem(item.value) { return counts }
        }
        return nil
    }
}
