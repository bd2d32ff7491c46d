//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The objects that the state of one turn names.
struct NamedObjects {
    var named: Set<ObjectDigest>
    /// The time of that turn, or of the oldest grant that ran then.
    var since: WallTime
}
