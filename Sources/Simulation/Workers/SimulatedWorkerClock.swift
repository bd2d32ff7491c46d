//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import WorkerKit

/// A worker's clock in a world, and the kernel timer that ends its process.
struct SimulatedWorkerClock: WorkerClock {
    unowned let process: WorkerProcess

    func now() throws -> MonotonicTime {
        try process.check()
        return process.reading(at: process.world.now)
    }

    func armKillTimer(at instant: MonotonicTime) throws {
        try process.check()
        process.armKillTimer(at: process.worldTime(of: instant))
        guard process.isAlive else { throw ProcessDied() }
    }

    func disarmKillTimer() throws {
        try process.check()
        process.armKillTimer(at: nil)
    }
}
