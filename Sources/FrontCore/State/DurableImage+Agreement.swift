//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

extension DurableImage {
    /// Whether a front's state and a replay of its journal have no `difference`; false: make the images of both, which say what differs.
    ///
    /// It compares the same, record by record, and makes no images: most comparisons find nothing, and there are many of them.
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
        guard own.jobs.repeats.difference(from: other.jobs.repeats, isKnown: { own.jobs.state(of: $0) != nil }) == nil else {
            return "repeats"
        }
        let isWhole = own.jobs.slab.count == other.jobs.slab.count
        let counts = own.jobs.storedCounts.compared(isWhole: isWhole)
        guard counts == other.jobs.storedCounts.compared(isWhole: isWhole) else { return "counts" }
        return own.bytes.compared(isWhole: isWhole) == other.bytes.compared(isWhole: isWhole) ? nil : "bytes"
    }

    private static func workersAgree(_ own: FrontState, _ other: FrontState) -> Bool {
        guard own.workers.count == other.workers.count, own.workers.drained == other.workers.drained else { return false }
        return own.workers.all.allSatisfy { worker in
            other.workers.index(of: worker.id).flatMap { other.workers[$0] }?.entry == worker.entry
        }
    }

    private static func feedsAgree(_ own: FrontState, _ other: FrontState, withLines: Bool) -> Bool {
        guard own.feeds.order.elementsEqual(other.feeds.order), own.left.all == other.left.all else { return false }
        func linesAgree(_ key: FeedKey) -> Bool {
            KeyLines.Line.allCases.allSatisfy {
                own.jobs.keyLines.backwards($0, of: key).elementsEqual(other.jobs.keyLines.backwards($0, of: key))
            }
        }
        return own.feeds.order.allSatisfy { key in
            let names = own.feeds[key]?.viewNames ?? []
            return own.feeds.entry(of: key) == other.feeds.entry(of: key) && names == other.feeds[key]?.viewNames ?? []
                && names.allSatisfy { own.feeds.entry(ofView: $0, of: key) == other.feeds.entry(ofView: $0, of: key) }
                && (!withLines || linesAgree(key))
        }
    }

    private static func sessionsAgree(_ own: FrontState, _ other: FrontState, _ marks: [SessionID: UInt64]) -> Bool {
        guard Array(own.sessions.ids) == Array(other.sessions.ids) else { return false }
        return own.sessions.ids.allSatisfy { id in
            guard let session = own.sessions[id], let twin = other.sessions[id], session.opened == twin.opened else { return false }
            let mark = max(session.lowestUnanswered, twin.lowestUnanswered, marks[session.id] ?? 0)
            let isOpen = { (retained: RetainedReply) in retained.number.rawValue >= mark }
            return session.replies.lazy.filter(isOpen).elementsEqual(twin.replies.lazy.filter(isOpen))
        }
    }

    private static func jobsAgree(_ own: FrontState, _ other: FrontState) -> Bool {
        var agree = true
        own.jobs.slab.visit(below: nil) { job in
            agree = other.jobs.contains(job.id) && own.describe(job.id) == other.describe(job.id)
            return agree
        }
        agree = agree && own.jobs.bundles.elementsEqual(other.jobs.bundles)
        guard agree, own.jobs.slab.count != other.jobs.slab.count else { return agree }
        // Ended jobs are forgotten by age and number, without an entry.
        other.jobs.slab.visit(below: nil) { job in
            agree = own.jobs.contains(job.id) || job.state.isFinal
            return agree
        }
        return agree
    }

    /// Whether each lane has the same jobs in the same order.
    private static func queuesAgree(_ own: FrontState, _ other: FrontState) -> Bool {
        guard own.jobs.scheduler.count == other.jobs.scheduler.count else { return false }
        return own.jobs.scheduler.heads.allSatisfy { key, head in
            guard let loader = other.jobs.loaderNames.index(of: own.jobs.loaderNames[key.loader]),
                let client = other.jobs.terms.clients.index(of: own.jobs.terms.clients[Int(key.terms.client)]),
                let set = other.jobs.terms.limitSets.index(of: own.jobs.terms.limitSets[Int(key.limitSet)]),
                let feed = other.jobs.terms.feeds.index(of: own.jobs.terms.feeds[Int(key.terms.feed)])
            else { return false }
            var twinKey = key
            (twinKey.loader, twinKey.terms) = (loader, LaneTerms(client: UInt32(client), limitSet: UInt32(set), feed: UInt32(feed)))
            var (job, twin) = (head, other.jobs.scheduler.first(of: twinKey))
            while job != 0, job == twin { (job, twin) = (own.jobs[job].next, other.jobs[twin].next) }
            return job == twin
        }
    }
}

/// For checks from outside: nothing here is used while serving.
extension FrontState {
    /// The lowest number that each session's client had not been answered.
    package var replyMarks: [SessionID: UInt64] {
        Dictionary(uniqueKeysWithValues: sessions.ids.map { ($0, sessions[$0]?.lowestUnanswered ?? 0) })
    }
}
