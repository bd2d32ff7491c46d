//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The lanes of one loader, whoever's they are: to a worker they are one line in order of rank. Suspected jobs form one of their own.
struct LaneGroup: Hashable {
    /// Index of the loader's name.
    var loader: Int
    var isSuspect: Bool

    /// Loaders have small indexes, so groups have too.
    var index: Int { 2 * loader + (isSuspect ? 1 : 0) }
}
