//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// How often idle views are looked for, at most: the walk visits every view.
    private static let sweepMilliseconds: Int64 = 3_600_000

    /// Notes that somebody names a view, and forgets those that nobody has named or been attached to for a day: without that, views that were
    /// made once would fill the bound for ever. Looked for only when a view is to be made, as nothing else makes more of them.
    mutating func noteUse(of name: String, of key: FeedKey, into actions: inout [FrontAction]) {
        if state.feeds[key]?.views[name] == nil, now.monotonic >= nextViewSweep { forgetIdleViews(into: &actions) }
        state.feeds[key]?.viewUsedAt[name] = now.monotonic
    }

    private mutating func forgetIdleViews(into actions: inout [FrontAction]) {
        nextViewSweep = now.monotonic.adding(milliseconds: Self.sweepMilliseconds)
        step(state.viewCount)
        for session in state.sessionOrder {
            for attached in state.sessions[session.rawValue]?.attachments ?? [] {
                state.feeds[attached.key]?.viewUsedAt[attached.view] = now.monotonic
            }
        }
        for key in state.feedOrder {
            for name in state.feeds[key]?.viewNames ?? [] where name != "shared" {
                guard let view = state.feeds[key]?.views[name], !view.isWorkedFor else { continue }
                // One of an earlier life counts from the first look.
                let used = state.feeds[key]?.viewUsedAt[name] ?? now.monotonic
                state.feeds[key]?.viewUsedAt[name] = used
                guard now.monotonic.milliseconds(since: used) >= settings.bounds.viewMilliseconds else { continue }
                record(.viewForgotten(key, name), into: &actions)
                state.feeds[key]?.viewUsedAt[name] = nil
                actions.append(.changed(.view(key, name), key: "view"))
            }
        }
    }
}
