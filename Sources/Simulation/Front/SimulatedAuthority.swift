//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What a shared engine grants one life of the front: to be the only writer until some time, which is moved on in time, or is not for a while.
final class SimulatedAuthority {
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
