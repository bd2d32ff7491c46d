//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel

/// For tests that compare what is decided, and not because of which event.
extension FrontMachine {
    mutating func handle(_ event: FrontEvent, at time: FrontTime, into actions: inout [FrontAction]) {
        var decided = FrontActions()
        handle(event, at: time, into: &decided)
        actions += decided.map(\.action)
    }

    mutating func start(at time: FrontTime, into actions: inout [FrontAction]) {
        var decided = FrontActions()
        start(at: time, into: &decided)
        actions += decided.map(\.action)
    }
}
