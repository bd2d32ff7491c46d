//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A restart keeps every accepted job, every feed and every view: what a new life knows is compared with the durable rows.
extension Ledger {
    /// A new life has read the journal.
    func frontRestored(_ item: (_ key: String, _ topic: Topic) -> ItemValue?) {
        for job in durable.jobs where durable.ends[job] == nil {
            guard case .job(let summary)? = item("job", .job(JobID(job))) else {
                world.violate(.restartKeeps, "job \(job) is not known")
                continue
            }
            let isHeld = summary.state == .running || summary.state == .cancelling
            if isHeld != durable.held.contains(job) {
                world.violate(.restartKeeps, "job \(job) is \(summary.state.name), a worker holds it: \(durable.held.contains(job))")
            }
            if durable.cancels.contains(job), summary.state == .running {
                world.violate(.restartKeeps, "the cancel of job \(job) is forgotten")
            }
        }
        for (key, last) in durable.lastFeeds {
            guard case .feed(let feed)? = item("feed", .feed(key)) else {
                world.violate(.restartKeeps, "feed \(key) is not known")
                continue
            }
            if feed.content != last.content { world.violate(.restartKeeps, "feed \(key) has other content") }
            if feed.failure != last.failure { world.violate(.restartKeeps, "feed \(key) has another failure") }
        }
        for (key, views) in durable.lastViews {
            for (name, last) in views { compareView(last, of: key, with: item("view", .view(key, name))) }
        }
    }

    /// A new life goes on with what the last one left to do.
    func checkWork(_ left: [String]) {
        for name in durable.work.subtracting(left).sorted() { world.violate(.workGoesOn, "a new life does not know of the \(name)") }
    }

    private func compareView(_ last: ViewState, of key: FeedKey, with item: ItemValue?) {
        guard case .view(let view)? = item else { return world.violate(.restartKeeps, "view \(last.name) of \(key) is not known") }
        guard view.version == last.version else {
            return world.violate(.restartKeeps, "view \(last.name) of \(key) is of version \(view.version), not \(last.version)")
        }
        if view.selection != last.selection { world.violate(.restartKeeps, "view \(last.name) of \(key) has another selection") }
    }
}
