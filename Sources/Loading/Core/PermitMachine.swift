//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Decides who holds a permit and who waits for one: strictly first in, first out, and never more permits than the limit.
struct PermitMachine {
    /// A waiter's place in the order of asking; never used twice by one machine.
    typealias WaiterID = UInt64

    enum RequestAction: Equatable {
        /// A permit was free and nobody waited.
        case grant
        /// Wait; `released` will name this waiter.
        case wait(WaiterID)
        /// As many wait as may.
        case refuse
    }

    enum ReleaseAction: Equatable {
        /// The permit is free.
        case keep
        /// The permit goes on to this waiter; it was never free, so nobody can overtake.
        case handOver(to: WaiterID)
    }

    enum WithdrawAction: Equatable {
        /// The waiter leaves without a permit.
        case leave
        /// It has a permit, or left before.
        case ignore
    }

    let limit: Int
    let waiterLimit: Int
    /// Permits held now; granted minus released.
    private(set) var held = 0
    private var waiting: Set<WaiterID> = []
    /// Waiters in order of asking, with holes where one has left; `head` is the first that may still wait.
    private var line: [WaiterID] = []
    private var head = 0
    private var lastWaiter: WaiterID = 0

    init(limit: Int, waiterLimit: Int) {
        self.limit = max(1, limit)
        self.waiterLimit = max(0, waiterLimit)
    }

    /// How many wait now.
    var waiterCount: Int { waiting.count }
    /// Places kept in memory, those of waiters that left too.
    var placeCount: Int { line.count }

    mutating func requested() -> RequestAction {
        if held < limit {
            held += 1
            return .grant
        }
        guard waiting.count < waiterLimit else { return .refuse }
        lastWaiter += 1
        waiting.insert(lastWaiter)
        line.append(lastWaiter)
        return .wait(lastWaiter)
    }

    mutating func released() -> ReleaseAction {
        while head < line.count {
            let next = line[head]
            head += 1
            // Who left keeps its place until the head comes by: to take it out of the middle would move all behind it.
            guard waiting.remove(next) != nil else { continue }
            compact()
            return .handOver(to: next)
        }
        compact()
        held -= 1
        return .keep
    }

    mutating func withdrew(_ waiter: WaiterID) -> WithdrawAction {
        guard waiting.remove(waiter) != nil else { return .ignore }
        closeHoles()
        return .leave
    }

    /// `cancel()` and `reset()`: everybody who waits leaves, in order.
    mutating func withdrewAll() -> [WaiterID] {
        let leaving = line[head...].filter { waiting.contains($0) }
        waiting = []
        line = []
        head = 0
        return leaving
    }

    /// Drops the places of those that left, when they are most of the line; a permit that is never given back must not let it grow.
    private mutating func closeHoles() {
        // Only when holes are two of three places, so that each who leaves costs a constant share of the walk.
        guard line.count - head > 32 + 2 * waiting.count else { return }
        line = line[head...].filter { waiting.contains($0) }
        head = 0
    }

    /// Drops the part of the line that was served, at a constant cost for each waiter.
    private mutating func compact() {
        // Not at each release, since the rest of the line moves each time.
        guard head > 32, head * 2 > line.count else { return }
        line.removeFirst(head)
        head = 0
    }
}
