//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What the scheduler does not do, and why: a message that came late cannot put a job into two lines.
enum SchedulerRefusal: Hashable, CaseIterable {
    /// The job stands in a line already, waits behind another one of its key, is held, or has ended.
    case notFree
    /// The job stands in no lane.
    case notWaiting
    /// The worker has not registered, or is forgotten.
    case unknownWorker
}
