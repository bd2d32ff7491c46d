//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A feed's job: what was accepted, and what it was granted with.
struct FeedJobRecord {
    var job: JournalEntry.FeedJob
    /// What the worker was told; nil: not granted in this life of the front.
    var granted: FeedWork?
    /// The version of the content that the work started from.
    var grantedVersion: ContentVersion = .none
    /// Its neighbours in the feed's line.
    var before = JobID.none
    var behind = JobID.none
}
