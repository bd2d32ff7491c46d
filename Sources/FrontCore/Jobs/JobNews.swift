//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What has become of a feed's job: the queue says so, and the machine of the feeds hears it before anything else happens.
struct JobNews {
    let job: JournalEntry.FeedJob
    let change: Change

    enum Change {
        /// A worker was given it.
        case granted
        /// It waits again.
        case waits
        /// Its cancel was asked for while it runs: nothing that it makes is taken any more.
        case stops
        /// It has ended so, for that reason, with what it made.
        case ended(JobState, Failure?, FeedResult?)
    }
}
