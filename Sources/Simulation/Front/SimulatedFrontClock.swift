//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Model

/// The front's clocks in a world.
final class SimulatedFrontClock: FrontClock {
    private unowned let process: FrontProcess

    init(_ process: FrontProcess) { self.process = process }

    func now() -> FrontTime {
        // Until a turn reaches its wait, it is still the moment at which the waiting began.
        if let since = process.sleptSince {
            return FrontTime(monotonic: process.reading(at: since), wall: process.world.wall)
        }
        _ = process.call()
        return FrontTime(
            monotonic: process.reading(at: process.isAlive ? process.world.now : process.diedAt), wall: process.world.wall)
    }
}
