//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What the jobs of a lane have in common for the scheduler: whatever keeps the first one waiting keeps all.
struct LaneKey: Hashable {
    /// Index of the loader's name.
    var loader: Int
    /// Index of the label of the client whose jobs they are; 0: the front's own, and those of clients without a label.
    var client: UInt32 = 0
    /// Index of their limits with the values of their keys. Always 0: no job has limits until they come.
    var limitSet: UInt32 = 0
    /// Whether they run alone in a worker next.
    var isSuspect = false

    /// The line that all lanes of the loader form for its workers.
    var group: LaneGroup { LaneGroup(loader: loader, isSuspect: isSuspect) }
}
