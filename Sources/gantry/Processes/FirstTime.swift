//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Synchronization

/// Says once that something happens for the first time, whoever asks.
final class FirstTime: Sendable {
    private let hasHappened = Atomic(false)

    /// True at the first call only.
    func isFirst() -> Bool { !hasHappened.exchange(true, ordering: .relaxed) }
}
