//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// What entries have made of a front, named record by record: two states that the same entries made are equal in it, whatever
/// places their records have in memory.
///
/// It leaves out what no entry carries: connections, deadlines of this epoch, how far a cancel has come.
package struct DurableImage: Sendable {
    /// One job: what is compared of two, in one place.
    struct Job: Hashable, Sendable {
        var session: UInt64
        var state: JobState
        var place: JobRecord.Place
        var due: JobDue?
        var rank: Rank
        var acceptedAt: WallTime
        var changedAt: WallTime
        var lease: UInt64
        var worker: WorkerID?
        var loader: String
        var terms: JobTerms
        /// What it does for a feed.
        var feedJob: JournalEntry.FeedJob?
        var key: UniqueKey?
        var attempts: UInt32
        var snoozes: SnoozeCount
        var deadline: LengthTime?
        var crashCount: UInt8
        var flags: JournalEntry.StoredJobs.Flags
        var argument: ArraySlice<UInt8>
        var result: ArraySlice<UInt8>
        var failure: Failure?
        var cancel: CancelReceipt?
        var runs: JobRuns?
        var log: JobLog?
    }

    var jobs: [UInt64: Job] = [:]
    /// Workers, sessions, feeds and views by name, each as the entry that makes it.
    var records: [String: JournalEntry] = [:]
    /// Retained replies by session and number.
    var replies: [SessionID: [UInt64: RetainedReply]] = [:]
    /// The lowest number that each session's client had not been answered; replies below it are forgotten without an entry.
    package var marks: [SessionID: UInt64] = [:]
    /// The jobs of each lane in order, by its loader, feed and client; those of suspected jobs apart.
    var queues: [String: [UInt64]] = [:]
    /// Which ended jobs were repeated, and the bundles of those that have left memory.
    var repeats = RepeatedJobs()
    var bundled = BundledJobs()
    /// The jobs of each feed that wait for each other.
    var lines: [FeedKey: [[JobID]]] = [:]
    var counts = JobCounts()
    /// What limits say, and the tokens of their buckets.
    var limits = LimitTable()
    let numbers: DurableNumbers
    /// What jobs and views take beside their records.
    var bytes = StoredBytes()

    /// Takes over what is known of clients from elsewhere: a restart forgets which replies they have until they say so again.
    package mutating func raiseMarks(to known: [SessionID: UInt64]) {
        for (session, mark) in known { marks[session] = max(marks[session] ?? 0, mark) }
    }

    /// What differs first between a front's state and what a replay of its journal has made; nil: nothing.
    ///
    /// - Parameters:
    ///   - replayed: The other one; it may still hold what is forgotten without an entry: ended jobs, and replies that the client has.
    ///   - withJobs: Whether jobs, sessions and replies are compared; `durability: memory` does not write them.
    ///   - isSameEpoch: Whether both are of the same epoch.
    package func difference(from replayed: DurableImage, withJobs: Bool, isSameEpoch: Bool = false) -> String? {
        for name in Set(records.keys).union(replayed.records.keys).sorted()
        where withJobs || !(name.hasPrefix("session ") || name.hasPrefix("unique key ")) {
            guard records[name] != replayed.records[name] else { continue }
            return "\(name): \(Self.text(records[name])), replayed \(Self.text(replayed.records[name]))"
        }
        if let difference = numbers.difference(from: replayed.numbers, withJobs: withJobs, isSameEpoch: isSameEpoch) { return difference }
        if bytes.details != replayed.bytes.details { return "the bytes of details: \(bytes.details), replayed \(replayed.bytes.details)" }
        if let key = limits.differingBucket(from: replayed.limits) { return "the tokens of the limit \(key.text) differ" }
        guard withJobs else { return nil }
        if let name = jobDifference(from: replayed) ?? replyDifference(from: replayed) { return name }
        for name in Set(queues.keys).union(replayed.queues.keys).sorted() where queues[name] != replayed.queues[name] {
            return "the queue of \(name): \(queues[name] ?? []), replayed \(replayed.queues[name] ?? [])"
        }
        for key in lines.keys.sorted() where lines[key] != replayed.lines[key] {
            return "the jobs in line of \(key): \(lines[key] ?? []), replayed \(replayed.lines[key] ?? [])"
        }
        if let job = repeats.difference(from: replayed.repeats, isKnown: { jobs[$0] != nil || bundled.find($0) != nil }) {
            return "job \(job) was repeated by \(text(repeats.newest(of: job))), replayed \(text(replayed.repeats.newest(of: job)))"
        }
        let isWhole = jobs.count == replayed.jobs.count
        let (counts, others) = (counts.compared(isWhole: isWhole), replayed.counts.compared(isWhole: isWhole))
        if counts != others { return "the counts: \(counts), replayed \(others)" }
        let isSame = bytes.compared(isWhole: isWhole) == replayed.bytes.compared(isWhole: isWhole)
        return isSame ? nil : "the bytes of jobs and views: \(bytes), replayed \(replayed.bytes)"
    }

    private func text(_ job: JobID?) -> String { job.map { "job \($0)" } ?? "none" }

    private func jobDifference(from replayed: DurableImage) -> String? {
        for id in Set(jobs.keys).union(replayed.jobs.keys).sorted() where jobs[id] != replayed.jobs[id] {
            // Ended jobs are forgotten by age and number, without an entry.
            if jobs[id] == nil, replayed.jobs[id]?.state.isFinal == true { continue }
            return "job \(id): \(jobs[id].map { "\($0)" } ?? "not there"), replayed \(replayed.jobs[id].map { "\($0)" } ?? "not there")"
        }
        return nil
    }

    private func replyDifference(from replayed: DurableImage) -> String? {
        for session in Set(replies.keys).union(replayed.replies.keys).sorted() {
            let mark = max(marks[session] ?? 0, replayed.marks[session] ?? 0)
            let held = replies[session]?.filter { $0.key >= mark } ?? [:]
            if held != replayed.replies[session]?.filter({ $0.key >= mark }) ?? [:] {
                return
                    "the replies to session \(session): \(held.keys.sorted()), replayed \(replayed.replies[session]?.keys.sorted() ?? [])"
            }
        }
        return nil
    }

    private static func text(_ entry: JournalEntry?) -> String { entry.map { "\($0)" } ?? "not there" }
}

extension FrontState {
    /// Everything that entries have made, for checks from outside.
    package var image: DurableImage {
        var image = DurableImage(numbers: DurableNumbers(self))
        for entry in baseEntries() { note(entry, in: &image) }
        var next: UInt64? = 0
        while let first = next {
            let (ids, following) = jobs.slab.ids(from: first, chunkLimit: 64)
            for id in ids { image.jobs[id] = describe(id) }
            next = following
        }
        for id in sessions.ids { image.marks[id] = sessions[id]?.lowestUnanswered }
        for key in jobs.keyLines.keys { image.lines[key] = KeyLines.Line.allCases.map { jobs.keyLines.backwards($0, of: key).reversed() } }
        for (key, first) in jobs.scheduler.heads {
            // Names of loaders have no spaces, so that no client's makes one lane's name another's.
            let client = jobs.terms.clients[Int(key.terms.client)]
            let limits = jobs.terms.limitSets[Int(key.limitSet)].keys.map { " in \($0.text)" }.joined()
            let feed = jobs.terms.feeds[Int(key.terms.feed)]
            let name =
                jobs.loaderNames[key.loader] + (key.isSuspect ? ", suspected" : "") + limits + (feed.isEmpty ? "" : " for \(feed)")
                + (client.isEmpty ? "" : " of \(client)")
            image.queues[name] = Array(sequence(first: first) { self.jobs[$0].next == 0 ? nil : self.jobs[$0].next })
        }
        (image.limits, image.repeats, image.bundled) = (jobs.limits, jobs.repeats, jobs.ended.bundled)
        image.bytes = bytes
        image.counts = jobs.storedCounts
        return image
    }

    /// Takes a record over by its name; each kind of entry is named here, so that a new one is thought of.
    private func note(_ entry: JournalEntry, in image: inout DurableImage) {
        func record(_ name: String) { image.records[name] = entry }
        switch entry {
        case .sessionOpened(let opened): record("session \(opened.session)")
        case .replyRetained(let retained):
            image.replies[retained.session, default: [:]][retained.reply.number.rawValue] = retained.reply
        case .workerRegistered(let registered): record("worker \(registered.worker)")
        case .workerLost(let lost): record("drained worker \(lost.worker)")
        case .workLeft(let left): record(left.work.name)
        case .limitChanged(let limit): record("limit \(limit.name)")
        case .pauseChanged(let pause): record("pause of \(pause.target)")
        case .loadersOffered: record("loaders that were offered")
        case .endedBundled(let bundle): record("bundle \(bundle.number)")
        case .uniqueKeysStored(let stored):
            for taken in stored.keys { record("unique key \(taken.key.text) of \(taken.loader), of job \(taken.job)") }
        case .feedChanged(let changed): record("feed \(changed.state.key)")
        case .viewChanged(let changed): record("view \(changed.view.name) of \(changed.key)")
        // Looked at as a whole: numbers, counts, tokens, repeats.
        case .countsStored, .idsReserved, .epochBegan, .tokensChanged, .repeatsStored: break
        // No checkpoint has these: what they make is in those above, or in jobs.
        case .sessionEnded, .jobsAccepted, .feedJobAccepted, .granted, .attemptsEnded, .ended, .cancelRequested, .feedForgotten,
            .viewForgotten, .jobsStored, .termsChanged, .bundlesForgotten, .jobsDue, .jobDelayed, .jobReplaced, .uniqueKeysFreed,
            .crashesForgiven, .jobsLogged:
            break
        }
    }

    /// A job with all that entries have made of it.
    func describe(_ id: UInt64) -> DurableImage.Job {
        let record = jobs[id]
        return DurableImage.Job(
            session: record.session, state: record.state, place: record.place, due: record.due, rank: record.rank,
            acceptedAt: record.acceptedAt, changedAt: record.changedAt, lease: record.lease,
            worker: record.standing.isHeld ? workers[Int(record.worker)]?.id : nil, loader: jobs.loader(of: record),
            terms: jobs.terms(of: record), feedJob: jobs.keyLines[id]?.job, key: jobs.keys.key(of: id), attempts: record.attempts,
            snoozes: SnoozeCount(record.snoozeCount, goesOn: record.isSnoozed), deadline: jobs.deadline(of: id),
            crashCount: record.crashCount, flags: record.flags.stored, argument: jobs.arena[record.argument],
            result: jobs.arena[record.result], failure: jobs.failure(of: id),
            cancel: jobs.cancels[id].map { CancelReceipt(durablePartOf: $0) }, runs: jobs.runs[id], log: jobs.runs.log(of: id))
    }
}

extension JobCounts {
    /// What entries make of counts.
    /// - Parameter isWhole: Whether both sides know as many jobs: a quarantined one that is forgotten, without an entry, is counted no longer.
    func compared(isWhole: Bool) -> JobCounts {
        var counts = self
        (counts.oldestWaiting, counts.failures) = (nil, [])
        if !isWhole { counts.quarantined = 0 }
        return counts
    }
}

extension StoredBytes {
    /// Those that are compared: what is forgotten without an entry is counted no longer.
    func compared(isWhole: Bool) -> StoredBytes {
        var bytes = self
        if !isWhole { bytes.ended = ByEndedKind(repeating: 0) }
        return bytes
    }
}

extension CancelReceipt {
    /// What entries record of a cancel; its steps at the worker are published and not written.
    init(durablePartOf receipt: CancelReceipt) {
        self = receipt
        (deliveredAt, stoppingAt, killedAt, endingAt) = (nil, nil, nil, nil)
    }
}

/// What entries have made of a front's numbers: what ids go on from, and from when leases count.
struct DurableNumbers {
    /// Named numbers that are taken before an entry says so: a replay never has more than the front that took them.
    private let taken: KeyValuePairs<String, UInt64>
    /// Jobs and leases that may have been handed out without an entry for each.
    private let reserved: [UInt64]
    /// The level of the clock of ranks.
    private let rankTime: RankTime
    /// The clock of lengths.
    private let lengths: LengthClock
    /// Epochs from which leases count.
    private let epochs: [JournalEntry.EpochBegan]
    /// The epoch that each worker's lease counts from, the next one that is listed; none: it registered in the last one.
    private let firstEpochs: [WorkerID: Epoch]

    init(_ state: FrontState) {
        let numbers = state.jobs.numbers
        let ids: KeyValuePairs = [
            "job": numbers.nextJob, "lease": numbers.nextLease, "registration number": state.workers.nextRegistrationNumber,
        ]
        taken = ids
        reserved = [numbers.reservedJobs, numbers.reservedLeases]
        rankTime = numbers.lastRankTime
        lengths = state.jobs.lengths
        let listed = state.workers.epochs.all
        // Others are forgotten when the next epoch begins, be it that all are read again from a checkpoint.
        let oldest = state.workers.all.map(\.epoch).min() ?? state.workers.epoch
        epochs = listed.filter { $0.epoch > oldest || $0.epoch == state.workers.epoch }
        firstEpochs = Dictionary(
            uniqueKeysWithValues: state.workers.all.map { worker in
                (worker.id, listed.first { $0.epoch > worker.epoch }?.epoch ?? .none)
            })
    }

    /// What differs first from a replay; nil: nothing.
    /// - Parameters:
    ///   - withJobs: Whether those of jobs are compared.
    ///   - isSameEpoch: Whether both are of the same epoch; a next one has an entry more.
    func difference(from replayed: DurableNumbers, withJobs: Bool, isSameEpoch: Bool) -> String? {
        for (own, other) in zip(taken, replayed.taken) where withJobs || own.key == "registration number" {
            // A next epoch hands out from what was reserved.
            guard other.value > own.value || withJobs && isSameEpoch && other.value != own.value else { continue }
            return "the next \(own.key): \(own.value), replayed \(other.value)"
        }
        if withJobs, rankTime != replayed.rankTime {
            return "the level of the clock of ranks: \(rankTime.milliseconds), replayed \(replayed.rankTime.milliseconds)"
        }
        if reserved != replayed.reserved { return "the ids that are reserved: \(reserved), replayed \(replayed.reserved)" }
        guard isSameEpoch else { return nil }
        if withJobs, lengths != replayed.lengths { return "the clock of lengths: \(lengths), replayed \(replayed.lengths)" }
        if epochs != replayed.epochs { return "the epochs that leases count from: \(epochs), replayed \(replayed.epochs)" }
        for (worker, epoch) in firstEpochs.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where epoch != replayed.firstEpochs[worker] {
            let other = String(describing: replayed.firstEpochs[worker])
            return "the epoch that the lease of \(worker) counts from: \(epoch), replayed \(other)"
        }
        return nil
    }
}
