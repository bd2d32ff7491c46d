//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Which part of which content in which order a remote feed shows.
struct PageTarget: Hashable, Sendable {
    /// What pages are read by.
    let revision: ViewRevision
    /// The first item's position.
    let offset: UInt64
    /// How many items at most.
    let limit: UInt32
}
