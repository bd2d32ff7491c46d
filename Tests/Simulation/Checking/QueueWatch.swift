//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// The queue as durable entries tell it: who waits, who holds what, who died of what. Reckoned beside the front, never from its state.
struct QueueWatch {
    /// A job that has not ended.
    struct Job {
        var rank: Int64
        var priority: UInt8
        var loader: String
        /// The feed whose source it asks; empty: it asks none.
        var feed = ""
        /// The name of the client whose job it is.
        var client = ""
        /// How often it was passed by jobs behind it that took what it needs of limits, since it might have reserved that.
        var passed = 0
        /// The jobs that it waits behind while it is not the first of them; nil: none.
        var line: String?
        var worker: WorkerID?
        /// Whether it is one of the bulk jobs that its worker has taken ahead.
        var isBulk = false
        var isSuspected = false
        /// The limits that it counts in.
        var limitKeys: [LimitKey] = []
        /// How often it is tried; nil: it works for a feed.
        var retry: RetryRule?
        /// How many of its attempts have failed.
        var failedAttempts: UInt32 = 0
        /// When its time comes; nil: it has come.
        var due: JobDue?
        /// When its worker got it, by the wall clock that has not jumped since; nil: not known.
        var heldAt: WallTime?
        var isCancelling = false
        /// Whether a worker has had it.
        var wasHeld = false
        /// Deaths that were found to count.
        var crashCount = 0
    }

    /// A worker as it registered.
    struct Worker {
        var slots: Int
        var prefetch: Int
        var loaders: [String: LoaderDeclaration]
        /// How many jobs it holds: in slots, and taken ahead.
        var held = [0, 0]
        /// The suspected jobs among them.
        var suspects: Set<UInt64> = []
        /// Jobs that it named as work that does not end.
        var culprits: Set<UInt64> = []
    }

    /// What an entry breaks.
    struct Finding {
        let promise: Promise
        let text: String
    }

    var jobs: [UInt64: Job] = [:]
    private(set) var workers: [WorkerID: Worker] = [:]
    var counts = JobCounts()
    var (limits, shares) = (LimitWatch(), ShareWatch())
    private var clients: [SessionID: String] = [:]  // Their names; what still comes of a session that is over is no client's.
    /// After how long a job may reserve; nil: within no world.
    var reservationPause: Duration?
    /// What the clock of ranks has shown at least.
    var rankTime: Int64 = 0
    var pauses = PauseWatch()
    var bulkActions = BulkWatch()
    private(set) var keys = KeyWatch()
    var debounces = DebounceWatch()
    private(set) var (endings, runs) = (EndingWatch(), RunWatch())
    var retryRules: [String: RetryRule] = [:]  // What every configuration says of loaders.
    /// Jobs in line, by line.
    private var lines: [String: [UInt64]] = [:]
    /// Workers whose slots are known from themselves, not from what the front understood.
    var slots: [WorkerID: Int] = [:]
    let crashLimit: Int
    /// Jobs that may wait when one is asked for, with it.
    let queueLimit: UInt64
    /// Workers that were asked to drain, also those that are lost since.
    private var drained: Set<WorkerID> = []
    /// Those of them that are lost, the one that went first in front, and how many of them the front has to know.
    private var lostDrained: [WorkerID] = []
    /// Those that were too many.
    private var forgotten: Set<WorkerID> = []
    let drainedLimit: Int
    /// Workers that have sent close or whose process has ended: the front may forget that they were to drain.
    private var gone: Set<WorkerID> = []
    /// Jobs that a client has asked to be moved.
    private var promoted: Set<UInt64> = []
    /// Whether the wall clock has jumped: what it shows is not known then.
    private var hasJumped = false
    private var sentLeases: Set<UInt64> = []
    /// Jobs whose grant was sent again.
    private var resent: Set<UInt64> = []
    private var findings: [Finding] = []
    private var wall = WallTime(milliseconds: 0)
    /// How many jobs waited when each feed's job of the row was accepted, that one too.
    private var waitingWith: [JobID: UInt64] = [:]

    init(crashLimit: Int, queueLimit: UInt64, drainedLimit: Int) {
        (self.crashLimit, self.queueLimit, self.drainedLimit) = (crashLimit, queueLimit, drainedLimit)
    }

    /// Takes the entries of a row in order, and says what they break.
    /// - Parameter wall: What the world's wall clock shows.
    mutating func take(_ entries: [JournalEntry], at wall: WallTime) -> [Finding] {
        (findings, waitingWith, self.wall) = ([], [:], wall)
        let lost = Set(entries.compactMap { entry -> WorkerID? in if case .workerLost(let lost) = entry { lost.worker } else { nil } })
        var granted: [(job: UInt64, worker: WorkerID)] = []
        for entry in entries {
            if case .granted(let grants) = entry, !grants.isReregistration {
                for job in grants.jobs { granted.append((job, grants.worker)) }
            } else if !entry.followsGrants {
                checkOrder(of: granted)
                granted = []
            }
            take(entry, lost: lost)
        }
        checkOrder(of: granted)
        checkPassed(by: granted)
        return findings
    }

    /// A job's grant is sent, for the first time or again: one that stays unseen may count against its job.
    mutating func sent(_ job: UInt64, under lease: UInt64) {
        if !sentLeases.insert(lease).inserted { resent.insert(job) }
    }

    /// A worker names work that does not end: its death then counts against that alone.
    mutating func named(_ culprits: [UInt64], by worker: WorkerID) { workers[worker]?.culprits.formUnion(culprits) }

    private mutating func take(_ entry: JournalEntry, lost: Set<WorkerID>) {
        takeWorkers(of: entry)
        for broken in keys.take(entry) { find(.uniqueKeysHold, broken) }
        for broken in debounces.take(entry, moved: promoted) { find(.debouncesHold, broken) }
        for broken in endings.take(entry) { find(.jobsEndInTime, broken) }
        for broken in runs.take(entry) { find(entry.isOfLogs ? .linesAreItsOwn : .runsAreTrue, broken) }
        if case .jobReplaced(let replaced) = entry { replace(replaced) }
        if case .sessionOpened(let opened) = entry { clients[opened.session] = opened.client }
        if case .sessionEnded(let ended) = entry { clients[ended.session] = nil }
        if case .jobsAccepted(let accepted) = entry {
            for offset in 0..<accepted.arguments.count {
                // A level of priority is worth a minute.
                let (options, priority) = (accepted.options[offset], accepted.options[offset].priority)
                let rank = accepted.rankTime - Int64(priority) * 60_000
                var job = Job(rank: rank, priority: priority, loader: accepted.loader, line: options.line(of: accepted.loader))
                job.due = accepted.due(options)
                (job.retry, job.limitKeys) = (options.retry, options.limitKeys)
                job.client = accepted.asker == JobTerms.Asker() ? clients[accepted.submitter.session] ?? "" : accepted.asker.client
                if !limits.knows(job.limitKeys) { find(.limitsHold, "a job of limits that are not there is accepted: \(options.line)") }
                add(accepted.first.rawValue + UInt64(offset), job)
            }
            checkQueue(counts.waiting + counts.scheduled, with: accepted.first)
            rankTime = max(rankTime, accepted.rankTime)
        }
        if case .feedJobAccepted(let job) = entry {
            var added = Job(rank: job.rank, priority: job.options.priority, loader: job.loader, line: job.line)
            added.client = job.asker == JobTerms.Asker() ? clients[job.submitter.session] ?? "" : job.asker.client
            (added.limitKeys, added.feed) = (job.options.limitKeys, job.askedFeed)
            add(job.job.rawValue, added)
            waitingWith[job.job] = counts.waiting + counts.scheduled
        }
        // What the front makes by itself, such as the order of new content, is work that was taken on before.
        if case .replyRetained(let retained) = entry, case .accepted(let job, false) = retained.reply.reply, let count = waitingWith[job] {
            // The job may replace one that the same request made needless.
            checkQueue(min(count, counts.waiting + counts.scheduled), with: job)
        }
        if case .workLeft(let left) = entry { takeBulk(left) }
        if let fault = bulkActions.takeRepeated(entry) { find(.repeatedOnce, fault) }
        if case .termsChanged(let change) = entry { reprioritize(change) }
        if case .jobDelayed(let delayed) = entry { schedule(delayed.job.rawValue, delayed.due) }
        if case .crashesForgiven(let forgiven) = entry {
            jobs[forgiven.job.rawValue]?.crashCount = 0
            jobs[forgiven.job.rawValue]?.isSuspected = false
        }
        if case .jobsDue(let due) = entry { for id in due.jobs { becomeDue(id, due) } }
        if case .granted(let granted) = entry { for job in granted.jobs { hold(job, granted) } }
        if case .attemptsEnded(let ended) = entry {
            if ended.cause == .failed { checkRetries(ended) }
            for job in ended.jobs { endAttempt(job, ended.cause, lost) }
        }
        if case .ended(let ended) = entry {
            checkLastAttempts(ended)
            noteDead(ended)
            for (id, state) in zip(ended.jobs, ended.states) { end(id, state, lost) }
        }
        // One that waits ends in the same row.
        if case .cancelRequested(let cancel) = entry, let known = jobs[cancel.job.rawValue], known.worker != nil, !known.isCancelling {
            jobs[cancel.job.rawValue]?.isCancelling = true
            counts.running -= 1
            counts.cancelling += 1
        }
    }

    private mutating func takeWorkers(of entry: JournalEntry) {
        if entry.endsReservations { for id in jobs.keys { jobs[id]?.passed = 0 } }
        takeLimits(of: entry)
        if let fault = pauses.take(entry) { find(.pausesHold, fault) }
        if case .workerRegistered(let registered) = entry {
            let (id, registration) = (registered.worker, registered.registration)
            let loaders = Dictionary(registration.loaders.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
            workers[id] = Worker(
                slots: slots[id] ?? Int(registration.slots), prefetch: Int(registration.prefetch), loaders: loaders,
                held: workers[id]?.held ?? [0, 0], suspects: workers[id]?.suspects ?? [],
                culprits: workers[id]?.culprits ?? [])
            if registered.drains {
                drained.insert(id)
                forgotten.remove(id)
            }
            lostDrained.removeAll { $0 == id }
        }
        if case .workerLost(let lost) = entry {
            workers[lost.worker] = nil
            noteLoss(of: lost)
        }
    }

    /// A worker that was asked to drain is known to the front until it ends, or so many were lost after it as the front has room for.
    private mutating func noteLoss(of lost: JournalEntry.WorkerLost) {
        guard drained.contains(lost.worker) else { return }
        let mayBeForgotten = gone.contains(lost.worker) || (lost.worker == lostDrained.first && lostDrained.count > drainedLimit)
        lostDrained.removeAll { $0 == lost.worker }
        guard mayBeForgotten, !lost.drains else { return lostDrained.append(lost.worker) }
        drained.remove(lost.worker)
        forgotten.insert(lost.worker)
    }

    /// A client has learned that a worker is to drain. That holds for it until it ends, also where it is given up and comes back; unless the front
    /// has had to forget it before the client learned of it.
    mutating func drains(_ worker: WorkerID) { if !gone.contains(worker), !forgotten.contains(worker) { drained.insert(worker) } }

    /// A worker has sent close, or its process has ended.
    mutating func ends(_ worker: WorkerID) { gone.insert(worker) }

    private mutating func add(_ id: UInt64, _ job: Job) {
        guard jobs[id] == nil else { return }
        jobs[id] = job
        if job.due == nil { counts.waiting += 1 } else { counts.scheduled += 1 }
        if let line = job.line { lines[line, default: []].append(id) }
    }

    /// Where it stands then is reckoned, not taken from the entry.
    private mutating func reprioritize(_ change: JournalEntry.TermsChanged) {
        guard let job = jobs[change.job.rawValue] else { return }
        jobs[change.job.rawValue]?.rank += (Int64(job.priority) - Int64(change.options.priority)) * 60_000
        jobs[change.job.rawValue]?.priority = change.options.priority
    }

    /// A job that nobody holds waits for a time.
    private mutating func schedule(_ id: UInt64, _ due: JobDue) {
        guard let job = jobs[id] else { return }
        if job.worker != nil { find(.scheduledWaits, "job \(id), which worker \(job.worker?.rawValue ?? 0) holds, is scheduled") }
        if job.due == nil { (counts.waiting, counts.scheduled) = (counts.waiting - 1, counts.scheduled + 1) }
        jobs[id]?.due = due
    }

    /// A client asks that a job be due, or wait for another time: from then on its time may come at once.
    mutating func moves(_ job: JobID) { promoted.insert(job.rawValue) }

    /// The time of a job has come. Where it stands then is reckoned.
    private mutating func becomeDue(_ id: UInt64, _ entry: JournalEntry.JobsDue) {
        guard let job = jobs[id] else { return }
        switch job.due {
        case .length(let time)? where time > entry.lengthTime && !promoted.contains(id):
            find(.scheduledWaits, "job \(id) is due at \(entry.lengthTime) by the clock of lengths, and its delay ends at \(time)")
        case .point(let time)? where time > wall && !promoted.contains(id) && !hasJumped:
            find(.scheduledWaits, "job \(id) is due at \(wall), and its time is \(time)")
        case .length, .point: break
        case nil: return
        }
        (counts.waiting, counts.scheduled) = (counts.waiting + 1, counts.scheduled - 1)
        jobs[id]?.due = nil
        jobs[id]?.rank = entry.rankTime - Int64(job.priority) * 60_000
    }

    private mutating func hold(_ id: UInt64, _ granted: JournalEntry.GrantedJobs) {
        let (worker, at) = (granted.worker, granted.at)
        guard let job = jobs[id] else { return }
        if !granted.isReregistration, let reason = pauses.reason(against: job, at: worker) {
            find(.pausesHold, "job \(id) is granted; \(reason)")
        }
        if job.due != nil { find(.scheduledWaits, "job \(id) is granted, and its time has not come") }
        if let before = job.worker {
            leave(before, id, job)
        } else {
            counts.waiting -= 1
            if let broken = limits.take(job.limitKeys, isGrant: !granted.isReregistration) { find(.limitsHold, broken) }
            if job.isCancelling { counts.cancelling += 1 } else { counts.running += 1 }
        }
        if !granted.isReregistration, drained.contains(worker) {
            find(.drainedGetsNothing, "worker \(worker.rawValue % 10_000) was asked to drain, and gets job \(id)")
        }
        let isBulk = workers[worker]?.loaders[job.loader]?.isBulk ?? false
        jobs[id]?.worker = worker
        jobs[id]?.wasHeld = true
        jobs[id]?.isBulk = isBulk
        workers[worker]?.held[isBulk ? 1 : 0] += 1
        jobs[id]?.heldAt = at
        if job.isSuspected { workers[worker]?.suspects.insert(id) }
        // A worker that keeps to nothing may reregister with less room than for what it holds: that is not taken from it.
        if !granted.isReregistration || slots[worker] != nil { checkRoom(of: worker, for: id, isBulk, at) }
    }

    private mutating func leave(_ worker: WorkerID, _ id: UInt64, _ job: Job) {
        workers[worker]?.held[job.isBulk ? 1 : 0] -= 1
        workers[worker]?.suspects.remove(id)
    }

    private mutating func release(_ id: UInt64) {
        guard let job = jobs[id], let worker = job.worker else { return }
        leave(worker, id, job)
        limits.free(job.limitKeys)
        if job.isCancelling { counts.cancelling -= 1 } else { counts.running -= 1 }
        counts.waiting += 1
        jobs[id]?.worker = nil
        jobs[id]?.isCancelling = false
    }

    private mutating func endAttempt(_ ended: JournalEntry.EndedAttempt, _ cause: AttemptEndCause, _ lost: Set<WorkerID>) {
        let id = ended.job.rawValue
        if Int(ended.crashCount) > (jobs[id]?.crashCount ?? 0) { count(id, lost) }
        if cause.mayHaveRun, jobs[id]?.worker != nil { counts.requeuedTotal += 1 }
        if cause == .failed { counts.retriedTotal += 1 }
        if cause == .snoozed { counts.snoozedTotal += 1 }
        release(id)
        jobs[id]?.isSuspected = ended.isSuspected
        if ended.notBefore != 0 { schedule(id, .length(ended.notBefore)) }
    }

    private mutating func end(_ id: UInt64, _ state: JobState, _ lost: Set<WorkerID>) {
        if state == .quarantined {
            count(id, lost)
            let crashCount = jobs[id]?.crashCount ?? 0
            if crashCount < crashLimit {
                find(.quarantineIsEarned, "job \(id) after \(crashCount) deaths that count (limit \(crashLimit))")
            }
        }
        release(id)
        guard let job = jobs.removeValue(forKey: id) else { return }
        if job.due == nil { counts.waiting -= 1 } else { counts.scheduled -= 1 }
        if let line = job.line { lines[line]?.removeAll { $0 == id } }
        switch state {
        case .succeeded: counts.succeeded += 1
        case .failed: counts.failed += 1
        case .cancelled: counts.cancelled += 1
        case .expired: counts.expired += 1
        case .quarantined: counts.quarantined += 1
        case .waiting, .scheduled, .running, .cancelling: break
        }
    }

    /// A death counts against a job that was alone in its worker, that a worker named, or whose grant no worker ever saw.
    private mutating func count(_ id: UInt64, _ lost: Set<WorkerID>) {
        let isNamed = workers.contains { lost.contains($0.key) && $0.value.culprits.contains(id) }
        var isAlone = false
        if let worker = jobs[id]?.worker, lost.contains(worker) {
            isAlone = jobs.values.filter { $0.worker == worker }.count == 1
        }
        guard isNamed || isAlone || resent.contains(id) else {
            return find(.quarantineIsEarned, "a death counts against job \(id): not alone in its worker, not named, not unseen")
        }
        jobs[id]?.crashCount += 1
    }

    private mutating func checkRoom(of id: WorkerID, for job: UInt64, _ isBulk: Bool, _ at: WallTime) {
        guard let worker = workers[id] else { return }
        let held = worker.held[isBulk ? 1 : 0]
        let room = isBulk ? max(worker.prefetch, worker.slots) : worker.slots
        if worker.held[0] + worker.held[1] > 1, let suspect = worker.suspects.sorted().first(where: { isToBeAlone($0, at) }) {
            find(.grantsFitSlots, "worker \(id.rawValue % 10_000) holds job \(suspect), a suspected one, and others, job \(job) too")
        }
        if held > room { find(.grantsFitSlots, "worker \(id.rawValue % 10_000) holds \(held), job \(job) among them, and takes \(room)") }
    }

    /// Whether a suspected job has not been alone for as long as it is to be: a little less than the front says, whose clock may be fast.
    private func isToBeAlone(_ id: UInt64, _ at: WallTime) -> Bool {
        jobs[id]?.heldAt.map { (0..<Self.aloneMilliseconds).contains(at.milliseconds - $0.milliseconds) } ?? false
    }

    private static let aloneMilliseconds: Int64 = 9_800

    /// The wall clock of all processes jumps: how long jobs have run is not known.
    mutating func clockJumps() {
        hasJumped = true
        for id in jobs.keys { jobs[id]?.heldAt = nil }
    }

    private mutating func checkQueue(_ count: UInt64, with job: JobID) {
        if count > queueLimit { find(.boundsHold, "\(count) jobs wait when job \(job) is accepted (limit \(queueLimit))") }
    }

    func isFirstInLine(_ id: UInt64, _ job: Job) -> Bool { job.line.map { lines[$0]?.first == id } ?? true }

    mutating func find(_ promise: Promise, _ text: String) { findings.append(Finding(promise: promise, text: text)) }
}
