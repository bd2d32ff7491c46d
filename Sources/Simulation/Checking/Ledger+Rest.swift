//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
import Model

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
        checkViews { front.item($0, of: $1) }
        checkSaves(at: front)
        for job in acceptedJobs where entries[job]?.waitsForEver == true && entries[job]?.state == nil && !mayBeForgotten(job) {
            guard case .job(let summary)? = front.item("job", of: .job(job)) else { continue }
            if summary.state == .cancelled, entries[job]?.isCancelConfirmed == true { continue }
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
                (own.oldestWaiting, own.failures) = (shown.oldestWaiting, shown.failures)
                // Which loaders are offered no entry says: each job and each worker is looked at. No world has so many that some are summed up.
                own.unoffered = front.unofferedJobs
                if shown != own { world.violate(.countsAreTrue, "\(client.name) sees \(shown), the entries say \(own)") }
            }
        }
    }
}
