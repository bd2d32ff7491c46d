//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What is decided of feeds and views: what a request asks of them, and what becomes visible of the jobs that work for them.
///
/// What is shared of them is durable, and `FeedTable` knows it; here is what only this life of the front knows.
struct FeedMachine {
    /// Feeds whose activity is waiting: their reason may change.
    var waiting = WaitingFeeds()
}
