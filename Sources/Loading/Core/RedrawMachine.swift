//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Decides when a region is drawn again: at once after a quiet time, otherwise when the interval since the last drawing is over.
struct RedrawMachine {
    enum State: Equatable {
        /// Everything is drawn; the last drawing was at `last`. Moves to `scheduled` when a change comes too early.
        case drawn(last: Duration?)
        /// A change waits until `deadline`. Moves to `drawn` at the timer.
        case scheduled(deadline: Duration)
    }

    enum ChangeAction: Equatable {
        case draw
        case wait(until: Duration)
        /// A drawing is scheduled already and will show this change too.
        case join
    }

    /// The shortest time between two drawings.
    let interval: Duration
    private(set) var state: State = .drawn(last: nil)

    mutating func changed(at now: Duration) -> ChangeAction {
        switch state {
        case .scheduled:
            return .join
        // From the last drawing, not from the change: changes that come without a pause are still drawn once an interval.
        case .drawn(let last?) where now < last + interval:
            state = .scheduled(deadline: last + interval)
            return .wait(until: last + interval)
        case .drawn:
            state = .drawn(last: now)
            return .draw
        }
    }

    /// The timer set by `wait` ended: draw.
    mutating func timerEnded(at now: Duration) {
        state = .drawn(last: now)
    }
}
