//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryClient
import GantryModel
import GantryWire

/// When everything has ended: what is shown, counted and ordered is compared with what the front holds.
extension Ledger {
    /// What observers are shown that differs from what the front holds; nil: nothing. Counts and reasons may be a little late.
    func stale(at front: FrontProcess) -> String? {
        for client in world.clients {
            for replica in client.replicas {
                if let difference = front.stale(replica.topic, replica.sortedItems) { return "to \(client.name): \(difference)" }
            }
        }
        return nil
    }

    /// The checks of the end.
    func checkRest(at front: FrontProcess) {
        front.inspectAtRest()
        checkAudit()
        checkViews { front.item($0, of: $1) }
        checkSaves(at: front)
        for job in acceptedJobs where entries[job]?.waitsForEver == true && entries[job]?.state == nil && !mayBeForgotten(job) {
            guard case .job(let summary)? = front.item("job", of: .job(job)) else { continue }
            if summary.state == .cancelled, entries[job]?.isCancelConfirmed == true { continue }
            // Its time may come after the end of the world.
            if summary.state == .scheduled { continue }
            if summary.state != .waiting { world.violate(.acceptedIsKept, "job \(job), which nobody can run, is \(summary.state.name)") }
        }
        checkCounts(at: front)
    }

    private func checkSaves(at front: FrontProcess) {
        guard !isMemory else { return }
        let missing = saves.missing { key in
            guard case .feed(let feed)? = front.item("feed", of: .feed(key)) else { return nil }
            return feed.content?.object.digest
        }
        if let missing { world.violate(.saveStays, missing) }
    }

    private func checkCounts(at front: FrontProcess) {
        guard !isMemory, !world.variation.forgetsEndedJobs else { return }
        for client in world.clients {
            for replica in client.replicas where replica.topic == .jobs {
                guard let shown = replica.counts else { continue }
                var own = queue.counts
                (own.oldestWaiting, own.failures, own.bulkActions) = (shown.oldestWaiting, shown.failures, shown.bulkActions)
                // Which loaders are offered no entry says: each job and each worker is looked at. No world has so many that some are summed up.
                own.unoffered = front.unofferedJobs
                if shown != own { world.violate(.countsAreTrue, "\(client.name) sees \(shown), the entries say \(own)") }
            }
        }
    }
}

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

extension ReplicaMachine {
    /// The counts that a replica of the jobs shows; nil: it shows none.
    var counts: JobCounts? {
        for item in sortedItems where item.key == Array(ItemKey.counts.utf8) {
            if case .counts(let counts)? = try? WireCodec().decodeItem(item.value) { return counts }
        }
        return nil
    }
}
