//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A call of a client that is not answered yet.
enum OpenCall {
    /// Jobs of a loader, by the markers in their arguments, with their options.
    case submit(SimulatedLoader, markers: [UInt64], options: JobOptionsColumn, isAwaited: Bool)
    /// A create or an update with the marker in its item.
    case save(marker: UInt64)
    /// Ends a job.
    case cancel(JobID)
    /// Lists all jobs; so many had been accepted before the first page, and these were on the pages before.
    case listing(accepted: Int, listed: [JobID])
    /// Orders a view or selects in it; a version: only if the view still has it.
    case order(ViewInterest.Part, of: Topic, version: UInt64?)
    /// Reads a page of a list.
    case page
    /// Anything else.
    case other(RequestBody)
}
