//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Workforce {
    /// Whether jobs may be granted; ends the pause once it is over, or as soon as every known worker has come back, has renewed (it says before
    /// that what of its dropped work has not ended), and has ended what it was told to drop.
    mutating func mayGrant(queue: inout JobQueue, in turn: inout FrontTurn) -> Bool {
        guard let pause = queue.grantPause else { return true }
        let areAllBack = turn.state.workers.all.allSatisfy { $0.isRegistered && $0.renewal != .none && !$0.isOverdue }
        guard areAllBack || turn.now.monotonic >= pause.until else {
            turn.check(.grants, by: pause.until)
            return false
        }
        queue.endGrantPause()
        return true
    }
}
