//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Where a lane stands.
enum LaneState: Equatable, CaseIterable {
    /// No job waits in it; it takes no place. Moves to any other with the first job.
    case empty
    /// No worker offers its loader: it is in no pool. Moves to `full` or `ready` when one registers.
    case unoffered
    /// No worker that offers its loader has room: its pools do not stand in the ready heap. Moves to `ready` with the first place that
    /// becomes free, to `unoffered` with the last worker.
    case full
    /// A worker could take its first job now: one of its pools stands in the ready heap. Moves to `full` with the last place.
    case ready
    /// Its jobs wait for a worker that holds nothing. Moves to `empty` only, with the last of them.
    case suspected
}
