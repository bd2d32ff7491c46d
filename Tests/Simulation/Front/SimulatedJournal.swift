//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Journal

/// The journal of one life of the front: the production writer and reader, whose steps the world takes when it likes, over a disk that may
/// be slow, full or broken; in some worlds one that other fronts could take over.
final class SimulatedJournal: TurnJournal {
    private typealias Writer = JournalWriter<Disk, SimulatedBallast>

    private unowned let process: FrontProcess
    private let world: World
    private let mailbox = JournalMailbox()
    private var writer: Writer
    private var restoration: Restoration
    private let granted: SimulatedAuthority
    /// The turns that were handed over and are not known to be durable, oldest first.
    private var inFlight: [TurnNumber] = []
    /// Counts the plans for a next step: only the newest one is carried out.
    private var planNumber = 0
    /// Whether the next step is planned for a row: a further one waits behind it.
    private var isCommitPlanned = false

    init(_ process: FrontProcess, _ head: JournalHead) {
        self.process = process
        world = process.world
        let disk = process.world.disk
        let ballast = SimulatedBallast(disk: disk)
        writer = Writer(
            mailbox: mailbox, log: disk, ballast: ballast, head: head, lastTurn: disk.lastTurn, ballastIsHeld: ballast.make(), onEvent: {})
        restoration = Restoration(head: head)
        granted = SimulatedAuthority(process)
        plan(after: 0)
    }

    /// What is really granted, whatever the front is told.
    var isWriter: Bool { !granted.isAbsent }
    var hasSuccessor: Bool { granted.hasSuccessor }

    var authority: MonotonicTime {
        // Injected bugs: authority is claimed that has run out, or that another front has.
        if world.bug == .authorityClaimed || world.bug == .successorOverlooked && hasSuccessor { return .distantFuture }
        return granted.until == .max ? .distantFuture : process.reading(at: granted.until)
    }

    func nextRestored() throws -> RestoredRow? {
        guard process.call() else { return nil }
        return try restoration.nextRow(from: world.disk)
    }

    func append(_ row: JournalRow) {
        guard process.call() else { return }
        process.hasActed = true
        if inFlight.count >= world.journal.rowsUnderWay {
            world.violate(.rowsUnderWayAreFew, "turn \(row.turn) was handed over too early")
        }
        world.ledger.appended(row)
        inFlight.append(row.turn)
        if inFlight.count > 1 { world.metBounds.count(.rowsUnderWay) }
        let written = row.spoiled(by: world.bug)
        mailbox.submit(written)
        if world.bug == .rowsDoubled {
            mailbox.submit(JournalRow(turn: written.turn, entries: written.entries + [0], slice: written.slice))
        }
        // An injected bug: the front hears of the row's durability before the row is written.
        if world.bug == .durableTooEarly || world.bug == .hurriedJournal { early = row.turn }
        if !isCommitPlanned { plan(after: commitDelay(), commits: true) }
    }

    func read(_ bundle: BundleNumber) {
        guard process.call() else { return }
        mailbox.ask(for: bundle)
        if !isCommitPlanned { plan(after: commitDelay()) }
    }

    private func commitDelay() -> Int64 {
        let delay = world.random.between(50, 3_000) * 1_000
        guard world.isStormy, !world.variation.isQuiet, world.random.chance(world.swarm.slowCommitShare) else { return delay }
        let milliseconds = world.random.spread(20, 4_000)
        world.count(.slowCommit, for: milliseconds)
        return delay + milliseconds * 1_000_000
    }

    func nextEvent() -> JournalEvent? {
        guard process.call() else { return nil }
        if let turn = early {
            early = nil
            if world.bug == .durableTooEarly { inFlight.removeAll { $0 <= turn } }
            return .durable(turn)
        }
        guard let event = mailbox.nextEvent() ?? granted.nextEvent() else { return nil }
        process.hasActed = true
        switch event {
        case .durable(let turn):
            // An injected bug: all that is under way is called durable when its first row is.
            let reported = world.bug == .newestReportedDurable ? inFlight.last ?? turn : turn
            inFlight.removeAll { $0 <= reported }
            return .durable(reported)
        case .inDoubt(let turn):
            // An injected bug: a commit in doubt is called durable.
            if world.bug == .doubtReportedDurable {
                inFlight.removeAll { $0 <= turn }
                return .durable(turn)
            }
            // It comes again with all that is behind it.
            inFlight.removeAll { $0 >= turn }
        case .bundle, .full, .roomAgain, .authorityRenewed, .fenced, .failed: break
        }
        return event
    }

    private var early: TurnNumber?

    /// Whether a row that was handed over is not on the disk.
    private var isRowLeft: Bool { inFlight.contains { $0 > world.disk.lastTurn } }

    /// The process is gone: each row that was under way is whole on the disk, or neither it nor those behind it are there at all.
    func crash() {
        planNumber += 1
        for turn in inFlight where world.disk.lastTurn < turn {
            if world.random.chance(0.5) { _ = writer.step() }
            let isThere = world.disk.lastTurn >= turn
            world.count(isThere ? .rowUnannounced : .rowTorn)
            world.note("turn \(turn) is \(isThere ? "on the disk" : "lost")")
            if !isThere { return }
        }
    }

    private func plan(after nanoseconds: Int64, commits: Bool = false) {
        planNumber += 1
        isCommitPlanned = commits
        let number = planNumber
        world.at(world.now + nanoseconds) { [weak self] in
            guard let self, number == self.planNumber, self.process.isAlive else { return }
            self.step()
        }
    }

    private func step() {
        isCommitPlanned = false
        let next = writer.step()
        process.wake()
        switch next {
        case .step: if isRowLeft { plan(after: commitDelay(), commits: true) } else { plan(after: 20_000) }
        case .pause(let length): plan(after: length.wholeNanoseconds, commits: isRowLeft)
        case .sleep, .end: break
        }
    }
}

/// What a shared engine grants one life of the front: to be the only writer until some time, which is moved on in time, or is not for a while.
private final class SimulatedAuthority {
    private unowned let process: FrontProcess
    private let world: World
    /// When it runs out, in nanoseconds of the world; `max`: it is renewed in time.
    private(set) var until: Int64 = .max
    private var events: [JournalEvent] = []

    /// The longest that what is known lasts once nothing renews it.
    private static let longestRest: Int64 = 300

    init(_ process: FrontProcess) {
        self.process = process
        world = process.world
        planLapse()
    }

    /// Whether nobody may take this front for the writer.
    var isAbsent: Bool { world.now >= until }

    /// Whether another front has taken over.
    var hasSuccessor: Bool { world.disk.epoch > process.epoch }

    func nextEvent() -> JournalEvent? { events.isEmpty ? nil : events.removeFirst() }

    private func planLapse() {
        let mean = world.journal.lapseMilliseconds
        guard mean > 0 else { return }
        world.after(world.journalChance.between(mean / 4, 2 * mean)) { [weak self] in
            guard let self, self.process.isAlive, self.world.isStormy else { return }
            self.lapse()
        }
    }

    /// Renewals do not come: what is known runs out a little later, by the front's own clock at the same moment.
    private func lapse() {
        let length = world.journalChance.spread(20, world.journal.longestLapse)
        until = world.now + world.journalChance.between(0, Self.longestRest * 1_000_000)
        world.count(.authorityLapsed, for: length + Self.longestRest)
        world.note("authority of \(process.name) lapses for \(length) ms")
        if world.journalChance.chance(world.journal.takeoverShare) {
            world.at(until + world.journalChance.between(0, length * 1_000_000)) { [weak self] in self?.takeOver() }
        }
        world.at(until + length * 1_000_000) { [weak self] in self?.renew() }
    }

    /// Another front begins. It is not there but for its epoch: the next life of this one's process stands for it.
    private func takeOver() {
        guard process.isAlive, world.isStormy else { return }
        world.count(.frontDeposed)
        world.note("\(process.name) is deposed")
        world.disk.raiseEpoch()
    }

    /// The engine can be asked again, and tells who is the writer.
    private func renew() {
        guard process.isAlive else { return }
        if hasSuccessor {
            events.append(.fenced)
        } else {
            until = .max
            events.append(.authorityRenewed)
            planLapse()
        }
        process.wake()
    }
}

/// The simulated reserve: it is there whenever there is room.
private struct SimulatedBallast: JournalBallast {
    unowned let disk: Disk

    func make() -> Bool { !disk.isFull }
    func release() {}
}
