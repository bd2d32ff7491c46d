//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What the front's machine keeps when the front dies: the rows of the journal and the epoch.
final class Disk {
    unowned let world: World
    /// Durable rows, oldest first.
    private(set) var rows: [JournalRow] = []
    /// The newest complete checkpoint.
    private var checkpoint: TurnNumber?
    private var epoch: UInt64 = 0
    /// Until when there is no room, in nanoseconds.
    private(set) var fullUntil: Int64 = 0
    /// Whether the next row cannot be written at all.
    var failsNext = false

    init(_ world: World) { self.world = world }

    var isFull: Bool { world.now < fullUntil }

    /// The epoch of the next life, durable at once.
    func nextEpoch() -> Epoch {
        epoch = max(epoch + 1, UInt64(max(world.wall.milliseconds, 0) / 1_000))
        return Epoch(epoch)
    }

    /// A row is whole on the disk.
    func write(_ row: JournalRow) {
        if let last = rows.last, last.turn >= row.turn {
            world.violate("rows are written in the order of their turns", "turn \(row.turn) follows turn \(last.turn)")
        }
        rows.append(row)
        if let slice = row.slice, slice.isLast {
            checkpoint = slice.checkpoint
            rows.removeAll { $0.turn < slice.checkpoint }
            world.note("checkpoint \(slice.checkpoint) is whole, \(rows.count) rows are left")
        }
    }

    /// What a new life reads: the slices of the newest complete checkpoint, then the log from its first turn on.
    func restored() -> [RestoredRow] {
        var restored: [RestoredRow] = []
        for row in rows {
            guard let checkpoint, let slice = row.slice, slice.checkpoint == checkpoint else { continue }
            restored.append(RestoredRow(turn: row.turn, facts: slice.facts, isSlice: true))
        }
        for row in rows { restored.append(RestoredRow(turn: row.turn, facts: row.facts, isSlice: false)) }
        return restored
    }

    /// The disk is full for a while.
    func fill() {
        world.faults.count(.diskFull)
        fullUntil = world.now + world.random.spread(500, 8_000) * 1_000_000
        world.note("the disk is full for \((fullUntil - world.now) / 1_000_000) ms")
    }

    /// There is room, and nothing fails.
    func heal() {
        fullUntil = 0
        failsNext = false
    }
}
