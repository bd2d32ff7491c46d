//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Why jobs that were granted wait again.
public enum RequeueCause: UInt8, Hashable, Sendable, CaseIterable {
    /// Their worker's lease was over, or its process had ended.
    case workerLost = 1
    /// Their worker closed its registration with them in hand.
    case workerClosed = 2
    /// Their worker reregistered without them.
    case dropped = 3
    /// Their grants stayed unseen, each sent alone too.
    case grantUnseen = 4
    /// Their worker's lease was over after a loop pause of a whole lease, in which it could not renew.
    case loopPause = 5
    /// Their loader returned them as cancelled, and nobody had asked for it.
    case cancelUnasked = 6
    /// They waited already: the worker that had dropped them named them as culprits before it was lost.
    case culprit = 7
}
