//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Something that runs in a world and may end or stand still between any two of its calls.
class Process {
    unowned let world: World
    let name: String
    /// Its own monotonic clock.
    let clock: LocalClock
    private(set) var isAlive = true
    /// Whether a turn of it is under way: then nothing else may enter its loop.
    var isBusy = false
    /// Until when it stands still, in nanoseconds.
    var stoppedUntil: Int64 = 0
    /// Calls until the next fault that is planned for it.
    var callsToFault: Int64 = .max
    private var wakeAt: Int64?
    private var wakeNumber = 0
    private var isWokenInTurn = false
    private var restUntil: Int64 = .max

    init(_ world: World, name: String) {
        self.world = world
        self.name = name
        clock = LocalClock(drift: world.drift(), origin: world.now)
    }

    /// Stands before each call of a loop to its contracts; false: the process is dead and the call has no effect.
    func call() -> Bool {
        guard isAlive else { return false }
        callsToFault -= 1
        if callsToFault <= 0 { world.strike(self) }
        return isAlive
    }

    /// Ends at once; what follows from that is up to `died`.
    final func die(_ cause: String) {
        guard isAlive else { return }
        isAlive = false
        world.note("\(name) dies: \(cause)")
        died()
    }

    /// Everything that a death means to others.
    func died() {}

    /// One turn; called when the process was woken.
    func turn() {}

    /// Stands still from now on, in milliseconds.
    final func stop(for milliseconds: Int64) {
        stoppedUntil = max(stoppedUntil, world.now + milliseconds * 1_000_000)
        world.note("\(name) is stopped for \(milliseconds) ms")
        wake(at: stoppedUntil)
    }

    final func wake() { wake(at: world.now) }

    /// Has a turn made at that time, or earlier if one is planned already.
    final func wake(at time: Int64) {
        guard isAlive else { return }
        if isBusy {
            isWokenInTurn = true
            return
        }
        let time = max(time, world.now)
        if let wakeAt, wakeAt <= time { return }
        wakeAt = time
        wakeNumber += 1
        let number = wakeNumber
        world.at(time) { [weak self] in
            guard let self, number == self.wakeNumber else { return }
            self.wakeAt = nil
            self.takeTurn()
        }
    }

    /// What its clock shows at a time of the world in nanoseconds.
    final func reading(at time: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: clock.reading(at: time)) }

    /// The time of the world at which its clock shows that, in nanoseconds.
    final func worldTime(of reading: MonotonicTime) -> Int64 { clock.time(of: reading.nanoseconds) }

    /// Said at the end of a turn: when the next one is wanted though nothing happens.
    final func rest(until time: Int64) { restUntil = min(restUntil, time) }

    private func takeTurn() {
        guard isAlive else { return }
        guard world.now >= stoppedUntil else { return wake(at: stoppedUntil) }
        guard !isBusy else {
            isWokenInTurn = true
            return
        }
        isBusy = true
        (isWokenInTurn, restUntil) = (false, .max)
        turn()
        isBusy = false
        let next = isWokenInTurn ? world.now + 1_000 : restUntil
        if next != .max { wake(at: next) }
    }
}

/// The monotonic clock of one process: it goes too fast or too slow by up to 1 %, as two machines' clocks may.
struct LocalClock {
    /// Millionths by which it is too fast; negative: too slow.
    let drift: Int64
    /// The world's time at which it agrees.
    private let origin: Int64

    /// A clock that agrees with the world's at its beginning.
    init(drift: Int64, origin: Int64) {
        (self.drift, self.origin) = (drift, origin)
    }

    /// What the clock shows at a time of the world, both in nanoseconds.
    func reading(at time: Int64) -> Int64 {
        guard time != .max else { return .max }
        return time + (time - origin) / 1_000 * drift / 1_000
    }

    /// The first time of the world at which the clock shows at least `reading`.
    func time(of reading: Int64) -> Int64 {
        // A deadline that never comes stays one; one before the clock began is over.
        guard reading < .max / 2 else { return .max }
        guard reading > origin else { return reading }
        var time = origin + Int64(Double(reading - origin) / (1 + Double(drift) / 1_000_000)) - 2_000
        while self.reading(at: time) < reading { time += 500 }
        return time
    }
}

/// Thrown by every call of a process that is dead, so that its loop ends where it stood.
struct ProcessDied: Error {}
