//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FeedMachine {
    /// An item of a feed's topic; nil: there is no such item.
    func item(_ item: String, of key: FeedKey, _ jobs: JobViews, in turn: FrontTurn) -> ItemValue? {
        guard let feed = turn.state.feeds[key]?.state else { return nil }
        if item == ItemKey.feed { return .feed(feed) }
        guard item == ItemKey.progress, let job = feed.activity.job else { return nil }
        return jobs.progress(of: job.rawValue).map { .progress(job, $0) }
    }

    /// The keys of a feed's items.
    func itemKeys(of key: FeedKey, _ jobs: JobViews, in turn: FrontTurn) -> [String] {
        guard let feed = turn.state.feeds[key]?.state else { return [] }
        return feed.activity.job.flatMap { jobs.progress(of: $0.rawValue) } == nil ? [ItemKey.feed] : [ItemKey.feed, ItemKey.progress]
    }
}
