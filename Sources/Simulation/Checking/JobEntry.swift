//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What is known of a job from outside of the front.
struct JobEntry {
    /// Whether a client was told that it is accepted.
    var isAccepted = false
    /// Whether a client was told that its cancel is accepted.
    var isCancelConfirmed = false
    /// Whether its life of the front ended and had not written it.
    var isForgotten = false
    /// Whether no worker can ever run it.
    var waitsForEver = false
    /// How it is to be run, as its client said; nil: no client said.
    var options: JobOptions?
    /// Priorities that clients have asked for since.
    var askedPriorities: Set<UInt8> = []
    /// How it ended, as somebody was told first.
    var state: JobState?
    /// The run that began last; 0: none did.
    var lastRun: UInt64 = 0
    /// Slot runs that go on now.
    var runningCount = 0
}
