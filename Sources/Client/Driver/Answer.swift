//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What a call gets.
enum Answer: Sendable {
    /// The front's reply to a request, and the feed that it was about.
    case reply(Reply, FeedKey?)
    /// Jobs were accepted.
    case accepted(first: JobID, count: UInt32)
    /// A page.
    case page(PageReply)
    /// A job ended.
    case ended(JobID, JobState, [UInt8])
    /// The session is open.
    case opened(FrontMessage.Welcome, FrontID, Epoch)
}
