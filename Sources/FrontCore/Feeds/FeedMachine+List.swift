//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FeedMachine {
    /// A page of the live feeds, by key.
    mutating func feeds(after: FeedKey?, for session: SessionID, in turn: inout FrontTurn) -> Reply {
        var found: [FeedState] = []
        var byteCount = 0
        let byteLimit = turn.pageByteCount(for: session)
        for key in turn.state.feeds.sorted.keys(after: after) {
            guard let feed = turn.state.feeds[key]?.state else { continue }
            guard byteCount < byteLimit else { return .feeds(found, next: found.last?.key) }
            turn.step(TurnContext.rowSteps)
            byteCount += feed.roughByteCount
            found.append(feed)
        }
        return .feeds(found, next: nil)
    }
}
