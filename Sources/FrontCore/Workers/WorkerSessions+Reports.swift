//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension WorkerSessions {
    /// The time of a worker's reports may have come.
    mutating func lookAtReports(_ index: Int, in turn: inout TurnContext) {
        guard let worker = self[index] else { return }
        if turn.now.monotonic >= worker.acknowledgeBy {
            acknowledge(index, in: &turn)
        } else {
            turn.check(.reports(worker: index), by: worker.acknowledgeBy)
        }
    }
}
