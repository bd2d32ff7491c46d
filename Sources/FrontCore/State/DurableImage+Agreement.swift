//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

extension DurableImage {
    /// Whether a front's state and a replay of its journal are sure to have no `difference`; false: make the images of both, which say what
    /// differs, if anything does.
    ///
    /// It looks where the states lie and makes no copies: most comparisons find nothing, and there are many of them.
    ///
    /// - Parameters:
    ///   - marks: The lowest number that each session's client is known not to have been answered.
    ///   - withJobs: As for `difference`.
    ///   - isSameEpoch: Likewise.
    package static func agree(
        _ own: FrontState, _ other: FrontState, marks: [SessionID: UInt64], withJobs: Bool, isSameEpoch: Bool = false
    ) -> Bool {
        disagreement(own, other, marks: marks, withJobs: withJobs, isSameEpoch: isSameEpoch) == nil
    }

    /// In which part they do not agree; nil: they do.
    package static func disagreement(
        _ own: FrontState, _ other: FrontState, marks: [SessionID: UInt64], withJobs: Bool, isSameEpoch: Bool = false
    ) -> String? {
        guard workersAgree(own, other) else { return "workers" }
        guard feedsAgree(own, other, withLines: withJobs) else { return "feeds" }
        guard own.bytes.details == other.bytes.details else { return "bytes of details" }
        if let numbers = DurableNumbers(own).difference(from: DurableNumbers(other), withJobs: withJobs, isSameEpoch: isSameEpoch) {
            return numbers
        }
        guard own.workers.offered.entries == other.workers.offered.entries else { return "loaders that were offered" }
        guard own.jobs.pauses.entries == other.jobs.pauses.entries else { return "pauses" }
        guard own.jobs.limits.entries == other.jobs.limits.entries else { return "limits" }
        guard own.jobs.limits.differingBucket(from: other.jobs.limits) == nil else { return "tokens" }
        guard withJobs else { return nil }
        guard sessionsAgree(own, other, marks) else { return "sessions" }
        guard jobsAgree(own, other) else { return "jobs" }
        guard queuesAgree(own, other) else { return "lanes" }
        guard own.jobs.keys.agree(with: other.jobs.keys) else { return "unique keys" }
        guard countsAgree(own, other) else { return "counts" }
        return bytesAgree(own, other) ? nil : "bytes"
    }

    private static func workersAgree(_ own: FrontState, _ other: FrontState) -> Bool {
        guard own.workers.count == other.workers.count, own.workers.drained == other.workers.drained else { return false }
        return own.workers.all.allSatisfy { worker in
            guard let twin = other.workers.index(of: worker.id).flatMap({ other.workers[$0] }) else { return false }
            return worker.registrationNumber == twin.registrationNumber && worker.registration == twin.registration
                && worker.isDrainAsked == twin.isDrainAsked
        }
    }

    private static func feedsAgree(_ own: FrontState, _ other: FrontState, withLines: Bool) -> Bool {
        guard own.feeds.count == other.feeds.count, own.left.all == other.left.all else { return false }
        func linesAgree(_ key: FeedKey) -> Bool {
            KeyLines.Line.allCases.allSatisfy {
                own.jobs.keyLines.backwards($0, of: key).elementsEqual(other.jobs.keyLines.backwards($0, of: key))
            }
        }
        return own.feeds.order.allSatisfy { key in
            guard let feed = own.feeds[key], let twin = other.feeds[key] else { return false }
            return feed.state == twin.state && feed.isAskedFor == twin.isAskedFor && feed.nextVersion == twin.nextVersion
                && feed.older == twin.older && feed.damaged == twin.damaged && feed.views.agree(with: twin.views)
                && (!withLines || linesAgree(key))
        }
    }

    private static func sessionsAgree(_ own: FrontState, _ other: FrontState, _ marks: [SessionID: UInt64]) -> Bool {
        guard own.sessions.count == other.sessions.count else { return false }
        return own.sessions.ids.allSatisfy { id in
            guard let session = own.sessions[id], let twin = other.sessions[id], session.label == twin.label, session.client == twin.client,
                session.nonce == twin.nonce
            else {
                return false
            }
            let mark = max(session.lowestUnanswered, twin.lowestUnanswered, marks[session.id] ?? 0)
            let isOpen = { (retained: RetainedReply) in retained.number.rawValue >= mark }
            return session.replies.lazy.filter(isOpen).elementsEqual(twin.replies.lazy.filter(isOpen))
        }
    }

    private static func jobsAgree(_ own: FrontState, _ other: FrontState) -> Bool {
        var agree = true
        own.jobs.slab.visit(below: nil) { job in
            agree = other.jobs.contains(job.id) && jobAgrees(job, own, other)
            return agree
        }
        agree = agree && own.jobs.ended.bundled.all.elementsEqual(other.jobs.ended.bundled.all)
        guard agree, own.jobs.slab.count != other.jobs.slab.count else { return agree }
        // Ended jobs are forgotten by age and number, without an entry.
        other.jobs.slab.visit(below: nil) { job in
            agree = own.jobs.contains(job.id) || job.state.isFinal
            return agree
        }
        return agree
    }

    private static func jobAgrees(_ job: JobRecord, _ own: FrontState, _ other: FrontState) -> Bool {
        let twin = other.jobs[job.id]
        guard job.state == twin.state, job.place == twin.place, job.due == twin.due, job.rank == twin.rank,
            job.acceptedAt == twin.acceptedAt,
            job.changedAt == twin.changedAt, job.lease == twin.lease, job.attempts == twin.attempts, job.crashCount == twin.crashCount,
            job.flags.stored == twin.flags.stored,
            own.jobs.loaderNames[Int(job.loader)] == other.jobs.loaderNames[Int(twin.loader)],
            own.jobs.terms(of: job) == other.jobs.terms(of: twin), own.jobs.keys.key(of: job.id) == other.jobs.keys.key(of: job.id),
            own.jobs.failure(of: job.id) == other.jobs.failure(of: job.id), own.jobs.runs[job.id] == other.jobs.runs[job.id],
            own.jobs.runs.log(of: job.id) == other.jobs.runs.log(of: job.id),
            own.jobs.arena[job.argument] == other.jobs.arena[twin.argument], own.jobs.arena[job.result] == other.jobs.arena[twin.result]
        else { return false }
        if job.place == .held, own.workers[Int(job.worker)]?.id != other.workers[Int(twin.worker)]?.id { return false }
        let (asked, twinAsked) = (own.jobs.cancels[job.id], other.jobs.cancels[job.id])
        return asked.map { CancelReceipt(durablePartOf: $0) } == twinAsked.map { CancelReceipt(durablePartOf: $0) }
    }

    /// Whether each lane has the same jobs in the same order.
    private static func queuesAgree(_ own: FrontState, _ other: FrontState) -> Bool {
        guard own.jobs.scheduler.count == other.jobs.scheduler.count else { return false }
        return own.jobs.scheduler.heads.allSatisfy { key, head in
            guard let loader = other.jobs.loaderNames.index(of: own.jobs.loaderNames[key.loader]),
                let client = other.jobs.terms.clients.index(of: own.jobs.terms.clients[Int(key.terms.client)]),
                let set = other.jobs.terms.limitSets.index(of: own.jobs.terms.limitSets[Int(key.limitSet)])
            else { return false }
            var twinKey = key
            (twinKey.loader, twinKey.terms) = (loader, LaneTerms(client: UInt32(client), limitSet: UInt32(set)))
            var (job, twin) = (head, other.jobs.scheduler.first(of: twinKey))
            while job != 0, job == twin { (job, twin) = (own.jobs[job].next, other.jobs[twin].next) }
            return job == twin
        }
    }

    /// Bytes of ended jobs too, unless one of both has forgotten some of them.
    private static func bytesAgree(_ own: FrontState, _ other: FrontState) -> Bool {
        own.bytes.queued == other.bytes.queued && (own.jobs.slab.count != other.jobs.slab.count || own.bytes == other.bytes)
    }

    private static func countsAgree(_ left: FrontState, _ right: FrontState) -> Bool {
        var (own, other) = (left.jobs.totals.counts, right.jobs.totals.counts)
        // A quarantined job that is forgotten is counted no longer.
        if left.jobs.slab.count != right.jobs.slab.count { (own.quarantined, other.quarantined) = (0, 0) }
        (own.oldestWaiting, other.oldestWaiting, own.failures, other.failures) = (nil, nil, [], [])
        return own == other
    }
}

/// For checks from outside: nothing here is used while serving.
extension FrontState {
    /// The lowest number that each session's client had not been answered.
    package var replyMarks: [SessionID: UInt64] {
        Dictionary(uniqueKeysWithValues: sessions.ids.map { ($0, sessions[$0]?.lowestUnanswered ?? 0) })
    }
}
