//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
import Model

/// A client's clock in a world.
struct SimulatedClientClock: ClientClock {
    unowned let process: ClientProcess

    func now() -> MonotonicTime {
        _ = process.call()
        return process.reading(at: process.world.now)
    }
}
