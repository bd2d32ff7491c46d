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

    /// Everything that is kept has a bound.
    func checkBounds(_ front: FrontMachine, outboxByteCount: Int) {
        let kept = front.keptCounts(marks: marks)
        let (bounds, loop) = (world.variation.bounds, world.variation.loop)
        for (name, count, bound) in [
            ("bytes for a slow peer", outboxByteCount, loop.outboxByteLimit), ("ended jobs", kept.endedJobs, bounds.endedJobs),
            ("sessions", kept.sessions, bounds.sessions), ("replies of a session", kept.replies, Int(bounds.requestWindow)),
        ] where count > bound {
            world.violate(.boundsHold, "\(count) \(name), at most \(bound)")
        }
    }

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
