//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The detail of a view's selected item.
public enum Detail: Hashable, Sendable {
    /// Nothing is selected.
    case idle
    /// The job fetches it.
    case loading(JobID)
    /// JSON text of the item, at most 64 KiB.
    case loaded([UInt8])
    /// A larger JSON text, as an object.
    case stored(ObjectReference)
    /// It could not be had; a retry is asked for by the failure's id.
    case failed(Failure)
}
