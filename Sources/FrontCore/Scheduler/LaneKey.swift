//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What the jobs of a lane have in common for the scheduler: whatever keeps the first one waiting keeps all.
struct LaneKey: Hashable {
    /// Index of the loader's name.
    var loader: Int
    /// Index of the client whose jobs they are. Always 0: clients share when limits come; until then all stand in one order.
    var client: UInt32 = 0
    /// Index of their limits with the values of their keys. Always 0: no job has limits yet.
    var limitSet: UInt32 = 0
    /// Whether they run alone in a worker next.
    var isSuspect = false
}
