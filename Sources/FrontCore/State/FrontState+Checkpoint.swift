//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

extension FrontState {
    /// Records of jobs as they are now: see `JobLifecycle.slice`.
    func slice(from id: UInt64, chunkLimit: Int, byteLimit: Int = .max) -> (facts: [Fact], next: UInt64?) {
        jobs.slice(from: id, chunkLimit: chunkLimit, byteLimit: byteLimit, workers: workers, life: workers.life)
    }

    /// What a checkpoint begins with: what is neither a session, nor a feed, nor a job.
    var headFacts: [Fact] {
        let numbers = jobs.numbers
        let stored = Fact.CountsStored(
            jobs.totals.counts, nextJob: JobID(numbers.nextJob), nextLease: LeaseID(numbers.nextLease),
            nextAttachment: AttachmentNumber(workers.nextAttachment), lastRankTime: numbers.lastRankTime)
        let reserved = Fact.IDsReserved(jobs: JobID(numbers.reservedJobs), leases: LeaseID(numbers.reservedLeases))
        return [.countsStored(stored), .idsReserved(reserved)] + workers.entries
    }

    /// Everything but jobs, as a checkpoint writes it.
    func baseFacts() -> [Fact] {
        var facts = headFacts
        for id in sessions.ids { facts += sessions.entries(of: id) }
        for key in feedOrder {
            facts += self.facts(ofFeed: key)
            for name in feeds[key]?.viewNames ?? [] { fact(ofView: name, of: key).map { facts.append($0) } }
        }
        return facts
    }

    /// A feed without its views; nothing: it was forgotten.
    func facts(ofFeed key: FeedKey) -> [Fact] {
        guard let feed = feeds[key] else { return [] }
        var facts: [Fact] = []
        for damaged in feed.damaged {
            var earlier = FeedState(key: key, isEditable: feed.state.isEditable)
            earlier.failure = Failure(id: .none, damaged: damaged.object, at: damaged.foundAt, text: "", retryable: false)
            facts.append(.feedChanged(Fact.FeedChanged(earlier, isAskedFor: false)))
        }
        for content in feed.older {
            var earlier = FeedState(key: key, isEditable: feed.state.isEditable)
            earlier.content = content
            facts.append(.feedChanged(Fact.FeedChanged(earlier, isAskedFor: false)))
        }
        let version = ContentVersion(feed.nextVersion)
        facts.append(.feedChanged(Fact.FeedChanged(feed.state, isAskedFor: feed.isAskedFor, nextVersion: version)))
        return facts
    }

    /// A view of a feed; nil: it was forgotten.
    func fact(ofView name: String, of key: FeedKey) -> Fact? {
        guard let feed = feeds[key], let view = feed.views[name] else { return nil }
        return .viewChanged(Fact.ViewChanged(key, view, selectedAfter: feed.selectedAfter[name] ?? .none))
    }
}
