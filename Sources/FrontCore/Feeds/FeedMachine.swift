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
    /// Feeds and views that were looked at in this turn for damaged objects.
    var damageLooks = 0
    /// Jobs that were cancelled in this turn because their feeds were reset.
    var resetLooks = 0

    /// All that had come was read and dealt with.
    mutating func endTurn(queue: inout JobQueue, in turn: inout FrontTurn) {
        refreshWaits(queue: &queue, in: &turn)
        (damageLooks, resetLooks) = (0, 0)
    }
}
