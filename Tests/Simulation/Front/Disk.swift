//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Journal

/// What the front's machine keeps when the front dies: the rows of the journal as bytes, and its head.
final class Disk {
    unowned let world: World
    /// Durable rows as bytes, in order of their turns.
    private var rows: [(turn: TurnNumber, bytes: [UInt8])] = []
    /// Bundles of ended jobs.
    private(set) var bundles: [BundleNumber: [UInt8]] = [:]
    private var head: JournalHead?
    /// Until when there is no room, in nanoseconds.
    private(set) var fullUntil: Int64 = 0
    /// Whether the next row cannot be written at all.
    var failsNext = false
    /// Whether a row could not be written since the front began: then it may end.
    private(set) var hasFailed = false

    init(_ world: World) { self.world = world }

    var isFull: Bool { world.now < fullUntil }
    var lastTurn: TurnNumber { rows.last?.turn ?? .none }
    /// The highest epoch that is recorded.
    var epoch: Epoch { head?.epoch ?? .none }

    /// The head of the next life, durable at once.
    func beginEpoch() -> JournalHead {
        hasFailed = false
        let seconds = UInt64(max(world.wall.milliseconds, 0) / 1_000)
        let next = JournalHead.next(after: head, wallSeconds: seconds, newFrontID: FrontProcess.front)
        head = next
        return next
    }

    /// Another front begins, at a higher epoch.
    func raiseEpoch() {
        let next = epoch.advanced()
        head?.epoch = next
    }

    /// The disk is full for a while.
    func fill() {
        fullUntil = world.now + world.random.spread(500, 8_000) * 1_000_000
        world.count(.diskFull, for: (fullUntil - world.now) / 1_000_000)
        world.note("the disk is full for \((fullUntil - world.now) / 1_000_000) ms")
    }

    /// There is room, and nothing fails.
    func repair() {
        fullUntil = 0
        failsNext = false
    }
}

extension Disk: JournalLog {
    /// How many rows a reading gives at a time: few, so that what stands between two readings is met.
    private static let readingLimit = 7
    /// What a commit adds to the write-ahead log: so much that rounds through it end in every world, in the quiet and in a rush.
    private static let commitByteCount = 192 << 10

    var path: String { "simulated" }

    func records(from turn: TurnNumber) throws(JournalError) -> [JournalRecord] {
        var records: [JournalRecord] = []
        for row in rows where row.turn >= turn && records.count < Self.readingLimit {
            records.append(try JournalRecord(decoding: row.bytes, turn: Int64(bitPattern: row.turn.rawValue), path: path))
        }
        return records
    }

    func insert(
        _ record: JournalRecord, bundles: EndedBundles, head newHead: JournalHead?, cutBelow: TurnNumber?
    ) throws(JournalFault) -> JournalCommit {
        if failsNext {
            failsNext = false
            hasFailed = true
            world.count(.diskFailed)
            throw .failed(ErrorCause(code: "", text: "the disk failed"))
        }
        // Once the reserve is given up there may be room for this row.
        if isFull, world.random.chance(0.5) { throw .full }
        if record.epoch < epoch { return JournalCommit(.fenced) }
        if record.row.turn <= lastTurn {
            if isThere(record) { return JournalCommit(.alreadyThere) }
            world.violate(.rowsInOrder, "turn \(record.row.turn) follows turn \(lastTurn)")
            throw .failed(ErrorCause(code: "", text: "turn \(record.row.turn) is there with other bytes"))
        }
        let isInDoubt = world.isStormy && world.journalChance.chance(world.journal.doubtShare)
        if isInDoubt, world.journalChance.chance(0.5) {
            world.count(.rowInDoubtLost)
            throw .inDoubt
        }
        rows.append((record.row.turn, record.encoded()))
        for bundle in bundles.made { self.bundles[bundle.number] = bundle.entries }
        for number in bundles.forgotten { self.bundles[number] = nil }
        world.ledger.becameDurable(record.row)
        if let newHead {
            head = newHead
            world.note("checkpoint \(newHead.checkpoint) is whole")
        }
        if isInDoubt {
            world.count(.rowInDoubtWritten)
            throw .inDoubt
        }
        let cutIsDone = cutBelow.map { drop(below: $0, atMost: 3) } ?? false
        return JournalCommit(.written, cutIsDone: cutIsDone, walByteCount: Self.commitByteCount)
    }

    /// Whether the very same row stands there, written in the same life.
    private func isThere(_ record: JournalRecord) -> Bool {
        guard let bytes = rows.last(where: { $0.turn == record.row.turn })?.bytes else { return false }
        let known = try? JournalRecord(decoding: bytes, turn: Int64(bitPattern: record.row.turn.rawValue), path: path)
        return known?.row == record.row && known?.epoch == record.epoch
    }

    func entries(of bundle: BundleNumber) -> [UInt8]? {
        world.metBounds.count(.bundleJobs)
        return bundles[bundle]
    }

    func cut(below checkpoint: TurnNumber) throws(JournalFault) -> (isDone: Bool, walByteCount: Int) {
        if isFull { throw .full }
        return (drop(below: checkpoint, atMost: 20), Self.commitByteCount)
    }

    func emptyWAL() throws(JournalFault) {
        if isFull { throw .full }
    }

    private func drop(below checkpoint: TurnNumber, atMost limit: Int) -> Bool {
        // A bug takes the checkpoint's own first row, too.
        let bound = world.bug == .cutTooFar ? checkpoint.advanced() : checkpoint
        rows.removeSubrange(0..<rows.prefix(limit).prefix { $0.turn < bound }.count)
        return rows.first.map { $0.turn >= bound } ?? true
    }
}
