//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Synchronization

/// Says to work on another thread that its task has been cancelled.
final class StopFlag: Sendable {
    private let flag = Atomic(false)

    /// Whether the work is to end.
    var isRaised: Bool { flag.load(ordering: .relaxed) }

    /// Asks the work to end.
    func raise() { flag.store(true, ordering: .relaxed) }
}
