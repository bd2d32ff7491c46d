//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The detail of a view's selected item.
public enum Detail: Hashable, Sendable {
    /// Nothing is selected, or the content that has the item is gone. Moves to loading when an item is selected.
    case idle
    /// The job fetches it. Moves to loaded, stored or failed with what the job made; to loading by another job when another item is selected, or
    /// the selection before this one is gone back to, because the job was cancelled or the item is not there; and to idle where there is no
    /// selection to go back to, or the feed is reset.
    case loading(JobID)
    /// JSON text of the item, at most 64 KiB. Stays shown until a newer one takes its place: moves to loaded, stored or failed again when the
    /// content has changed, to loading when another item is selected, and to idle when nothing is, the item is gone or the feed is reset.
    case loaded([UInt8])
    /// A larger JSON text, as an object. Moves as loaded does, and to loading when the object is damaged.
    case stored(ObjectReference)
    /// It could not be had; a retry is asked for by the failure's id. Moves as loaded does.
    case failed(Failure)
}
