//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Journal
import Model

/// The journal of one life of the front: the production writer and reader, whose steps the world takes when it likes, over a disk that may
/// be slow, full or broken.
final class SimulatedJournal: TurnJournal {
    private typealias Writer = JournalWriter<Disk, SimulatedReserve>

    private unowned let process: FrontProcess
    private let world: World
    private let desk = JournalDesk()
    private var writer: Writer
    private var restoration: Restoration
    /// The turn that was handed over and is not durable.
    private var inFlight: TurnNumber?
    /// Counts the plans for a next step: only the newest one is carried out.
    private var planNumber = 0

    init(_ process: FrontProcess, _ head: JournalHead) {
        self.process = process
        world = process.world
        let disk = process.world.disk
        let reserve = SimulatedReserve(disk: disk)
        writer = Writer(
            desk: desk, log: disk, reserve: reserve, head: head, lastTurn: disk.lastTurn, reserveIsHeld: reserve.make(), onEvent: {})
        restoration = Restoration(head: head)
        plan(after: 0)
    }

    var authority: MonotonicTime { .distantFuture }

    func nextRestored() throws -> RestoredRow? {
        guard process.call() else { return nil }
        return try restoration.nextRow(from: world.disk)
    }

    func append(_ row: JournalRow) {
        guard process.call() else { return }
        process.hasActed = true
        if inFlight != nil { world.violate(.oneRowUnderWay, "turn \(row.turn) was handed over too early") }
        world.ledger.appended(row)
        inFlight = row.turn
        let written = row.spoiled(by: world.bug)
        desk.hand(over: written)
        if world.bug == .rowsDoubled { desk.hand(over: written) }
        var delay = world.random.between(50, 3_000) * 1_000
        if world.isStormy, !world.variation.isQuiet, world.random.chance(world.swarm.slowCommitShare) {
            let milliseconds = world.random.spread(20, 4_000)
            world.count(.slowCommit, for: milliseconds)
            delay += milliseconds * 1_000_000
        }
        // An injected bug: the front hears of the row's durability before the row is written.
        if world.bug == .durableTooEarly || world.bug == .hurriedJournal { early = row.turn }
        plan(after: delay)
    }

    func nextEvent() -> JournalEvent? {
        guard process.call() else { return nil }
        if let turn = early {
            early = nil
            if world.bug == .durableTooEarly { inFlight = nil }
            return .durable(turn)
        }
        guard let event = desk.nextEvent() else { return nil }
        process.hasActed = true
        if case .durable(let turn) = event, turn == inFlight { inFlight = nil }
        return event
    }

    private var early: TurnNumber?

    /// The process is gone: a row that was under way is whole on the disk, or not there at all.
    func crash() {
        planNumber += 1
        guard let turn = inFlight, world.disk.lastTurn < turn else { return }
        let isWhole = world.random.chance(0.5)
        if isWhole { _ = writer.step() }
        let isThere = world.disk.lastTurn >= turn
        world.count(isThere ? .rowUnannounced : .rowTorn)
        world.note("turn \(turn) is \(isThere ? "on the disk" : "lost")")
    }

    private func plan(after nanoseconds: Int64) {
        planNumber += 1
        let number = planNumber
        world.at(world.now + nanoseconds) { [weak self] in
            guard let self, number == self.planNumber, self.process.isAlive else { return }
            self.step()
        }
    }

    private func step() {
        let next = writer.step()
        process.wake()
        switch next {
        case .step: plan(after: 20_000)
        case .pause(let milliseconds): plan(after: Int64(milliseconds) * 1_000_000)
        case .sleep, .end: break
        }
    }
}
