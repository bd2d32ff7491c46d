//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FeedMachine {
    /// Forgets the feed that was not used for longest; false: all that were looked at are busy.
    mutating func forgetLongestIdle(in turn: inout FrontTurn) -> Bool {
        let lines = turn.state.jobs.keyLines
        guard let idle = turn.state.feeds.takeLongestIdle(in: &turn.context, where: { lines.isEmpty($0.state.key) }) else { return false }
        forget(idle, in: &turn)
        return true
    }

    /// A feed goes, with its views: observers see its items go.
    private mutating func forget(_ feed: FeedRecord, in turn: inout FrontTurn) {
        let key = feed.state.key
        turn.record(.feedForgotten(JournalEntry.FeedForgotten(key)))
        turn.emit(.changed(.feed(key), key: ItemKey.feed))
        turn.context.forget(.load(key))
        waiting.note(key, waitsFor: nil)
        for name in feed.viewNames {
            turn.context.forget(.view(key, name))
            turn.emit(.changed(.view(key, name), key: ItemKey.view))
        }
    }

    /// A view's time may have come: one that nobody has used for too long goes.
    mutating func lookAtView(_ name: String, of key: FeedKey, in turn: inout FrontTurn) {
        guard turn.state.feeds.isUnused(name, of: key, in: &turn.context) else { return }
        turn.record(.viewForgotten(JournalEntry.ViewForgotten(key, name)))
        turn.emit(.changed(.view(key, name), key: ItemKey.view))
    }
}

extension ViewState {
    /// Whether a job makes its order or fetches its detail.
    var isWorkedFor: Bool {
        if sorting != nil { return true }
        switch detail {
        case .loading: return true
        case .idle, .loaded, .stored, .failed: return false
        }
    }
}
