//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

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
