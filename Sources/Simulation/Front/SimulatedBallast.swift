//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Journal

/// The simulated reserve: it is there whenever there is room.
struct SimulatedBallast: JournalBallast {
    unowned let disk: Disk

    func make() -> Bool { !disk.isFull }
    func release() {}
}
