//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// A view that its time finds worked for is looked at again so much later: long enough for any order to be made, short beside a day.
    private static let workedForMilliseconds: Int64 = 3_600_000

    /// Notes that somebody names a view. Of names that are refused as views nothing is kept: there is no end of them.
    mutating func noteUse(of name: String, of key: FeedKey) {
        if state.feeds[key]?.views[name] != nil { state.feeds[key]?.viewUsedAt[name] = turn.now.monotonic }
    }

    /// A view other than `shared` is there: it is forgotten when nobody has named it or been attached to it for a day. Without that, views that
    /// were made once would fill the bound for ever.
    mutating func watchView(_ name: String, of key: FeedKey) {
        guard name != "shared" else { return }
        noteUse(of: name, of: key)
        turn.check(.view(key, name), by: turn.now.monotonic.adding(milliseconds: turn.settings.bounds.viewMilliseconds))
    }

    /// Forgets a view if nobody has used it for too long.
    mutating func lookAtView(_ name: String, of key: FeedKey) {
        guard let feed = state.feeds[key], let view = feed.views[name] else { return }
        // Who is attached uses it all the time.
        if feed.attachedViews[name] != nil { return watchView(name, of: key) }
        let idleAt = (feed.viewUsedAt[name] ?? turn.now.monotonic).adding(milliseconds: turn.settings.bounds.viewMilliseconds)
        guard turn.now.monotonic >= idleAt else { return turn.check(.view(key, name), by: idleAt) }
        if view.isWorkedFor {
            return turn.check(.view(key, name), by: turn.now.monotonic.adding(milliseconds: Self.workedForMilliseconds))
        }
        record(.viewForgotten(Fact.ViewForgotten(key, name)))
        state.feeds[key]?.viewUsedAt[name] = nil
        turn.emit(.changed(.view(key, name), key: "view"))
    }
}
