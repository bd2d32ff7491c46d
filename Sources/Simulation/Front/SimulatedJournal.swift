//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

/// The journal of one life of the front, on a disk that may be slow, full or broken.
final class SimulatedJournal: TurnJournal {
    private unowned let process: FrontProcess
    private let world: World
    private var restored: ArraySlice<RestoredRow>
    private(set) var events: Deque<JournalEvent> = []
    private var inFlight: JournalRow?
    /// Whether the reserve is released: a full disk is said once.
    private var isReserveReleased = false

    init(_ process: FrontProcess) {
        self.process = process
        world = process.world
        restored = process.world.disk.restored()[...]
        if process.world.disk.isFull {
            isReserveReleased = true
            events.append(.full)
            waitForRoom()
        }
    }

    func nextRestored() throws -> RestoredRow? {
        guard process.call() else { return nil }
        return restored.popFirst()
    }

    func append(_ row: JournalRow) {
        guard process.call() else { return }
        process.hasActed = true
        if inFlight != nil { world.violate("at most one row is under way", "turn \(row.turn) was handed over too early") }
        world.ledger.appended(row)
        inFlight = row
        if world.disk.failsNext {
            world.disk.failsNext = false
            world.faults.count(.diskFailed)
            return fail(row)
        }
        var delay = world.random.between(50, 3_000) * 1_000
        if world.isStormy, world.random.chance(world.swarm.slowCommitShare) {
            world.faults.count(.slowCommit)
            delay += world.random.spread(20, 4_000) * 1_000_000
        }
        world.at(world.now + delay) { [weak self] in self?.commit(row) }
    }

    func nextEvent() -> JournalEvent? {
        guard process.call(), let event = events.popFirst() else { return nil }
        process.hasActed = true
        return event
    }

    /// The process is gone: a row that was under way is whole on the disk, or not there at all.
    func crash() {
        guard let row = inFlight else { return }
        inFlight = nil
        let isWhole = world.random.chance(0.5)
        world.faults.count(isWhole ? .rowUnannounced : .rowTorn)
        world.note("turn \(row.turn) is \(isWhole ? "on the disk" : "lost")")
        if isWhole { write(row) }
    }

    private func commit(_ row: JournalRow) {
        guard process.isAlive, inFlight?.turn == row.turn else { return }
        if world.disk.isFull {
            if !isReserveReleased {
                isReserveReleased = true
                say(.full)
                waitForRoom()
            }
            // The reserve may have room for this row; otherwise it waits with the others.
            if world.random.chance(0.5) {
                world.after(world.random.between(1, 100)) { [weak self] in self?.commit(row) }
                return
            }
        }
        inFlight = nil
        write(row)
        say(.durable(row.turn))
    }

    private func write(_ row: JournalRow) {
        world.disk.write(row)
        world.ledger.becameDurable(row)
    }

    private func waitForRoom() {
        world.after(world.random.between(50, 800)) { [weak self] in
            guard let self, self.process.isAlive else { return }
            guard !self.world.disk.isFull, self.inFlight == nil else { return self.waitForRoom() }
            self.isReserveReleased = false
            self.say(.roomAgain)
        }
    }

    private func fail(_ row: JournalRow) {
        world.after(world.random.between(1, 50)) { [weak self] in
            guard let self, self.process.isAlive else { return }
            self.say(.failed("the disk failed: look at it"))
        }
    }

    private func say(_ event: JournalEvent) {
        events.append(event)
        process.wake()
    }
}
