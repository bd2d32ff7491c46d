//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Journal
import Model
import Wire

/// The state is what its entries make of it: a second machine takes every durable row, and is compared with the front's and with the disk.
extension Ledger {
    /// The front's own state, as of its last row, which may still be under way.
    func compareState(_ front: FrontMachine) {
        comparisonCount += 1
        raiseMarks(to: front.replyMarks)
        var replay = shadow
        if !durable.underWay.isEmpty { replay.restore(durable.underWay, turn: durable.underWayTurn, isSlice: false) }
        guard !DurableImage.agree(front, replay, marks: marks, withJobs: !isMemory) else { return }
        var image = front.image
        image.raiseMarks(to: marks)
        if let difference = image.difference(from: replay.image, withJobs: !isMemory) { world.violate(.stateIsReplay, difference) }
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

    /// Everything that is kept has a bound.
    func checkBounds(_ front: FrontMachine) {
        let (kept, bytes, counts) = (front.keptCounts(marks: marks), front.keptBytes, front.viewCounts)
        let bounds = world.variation.bounds
        // A detail that found no room leaves a failure in its place, and each feed has one view.
        judge([
            ("ended jobs", kept.endedJobs, bounds.endedJobs), ("sessions", kept.sessions, bounds.sessions),
            ("replies of a session", kept.replies, Int(bounds.requestWindow)),
            ("bytes of ended jobs", bytes.ended, bounds.endedByteCount), ("bytes of failed jobs", bytes.failed, bounds.endedByteCount),
            ("bytes of details", bytes.details, bounds.detailByteCount + counts.views * Self.failureByteCount),
            ("views", counts.views, bounds.views + counts.feeds), ("feeds", counts.feeds, bounds.feeds),
        ])
    }

    /// Longest text of a failure with its arguments, in bytes.
    private static let failureByteCount = 2_048

    /// What a new life of the front would read from the disk, checkpoints included.
    func compareDisk(_ head: JournalHead) {
        var restored = Self.emptyMachine
        var restoration = Restoration(head: head)
        do {
            while let row = try restoration.nextRow(from: world.disk) {
                restored.restore(try WireCodec().decodeFacts(row.facts), turn: row.turn, isSlice: row.isSlice)
            }
        } catch {
            return world.violate(.rowsAreReadable, "\(error)")
        }
        restored.endRestore()
        guard !DurableImage.agree(restored, shadow, marks: marks, withJobs: !isMemory) else { return }
        var image = restored.image
        image.raiseMarks(to: marks)
        if let difference = image.difference(from: shadow.image, withJobs: !isMemory) { world.violate(.restartKeeps, difference) }
    }

    /// A machine that no entry has changed.
    static var emptyMachine: FrontMachine {
        var settings = FrontSettings(front: FrontProcess.front, epoch: Epoch(1), sessionKey: SessionKey(1, 1))
        settings.feeds = Feeds.definitions
        let start = FrontTime(monotonic: MonotonicTime(nanoseconds: 0), wall: WallTime(milliseconds: 0))
        return FrontMachine(settings: settings, now: start)
    }
}
