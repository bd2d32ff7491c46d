//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel

/// What clients were told, what really ran and what left the front: the promises are checked against this, never against the front's state.
final class Ledger {
    unowned let world: World
    /// Priorities that clients have asked for many jobs at once.
    var bulkPriorities: Set<UInt8> = []
    /// Accepted jobs in the order in which clients were told.
    private(set) var acceptedJobs: [JobID] = []
    var entries: [JobID: JobEntry] = [:]
    /// The last failure that a client saw of each feed.
    private(set) var lastFailures: [FeedKey: FailureID] = [:]
    private(set) var runCount: UInt64 = 0
    private var markerCount: UInt64 = 0
    /// The job that each marker was seen in.
    private var markedJobs: [UInt64: JobID] = [:]
    /// The run that holds a line of a feed now.
    private var lineHolders: [String: UInt64] = [:]
    /// The largest capacity that clients have asked for, by limit; the limits of jobs, by the markers in their arguments; and what runs of each.
    var greatestCapacities: [String: UInt32] = [:]
    var limitsOfMarkers: [UInt64: [LimitKey]] = [:]
    /// How long attempts of jobs may take, by the markers in their arguments.
    var timeoutsOfMarkers: [UInt64: Duration] = [:]
    /// Those of jobs that have a total time.
    var markersWithTotals: Set<UInt64> = []
    /// Jobs whose last run has asked for another one.
    private var snoozed: Set<JobID> = []
    var runsOfLimits: [LimitKey: Int] = [:]
    var audits = AuditWatch()
    var rates = RateWatch()
    /// The job that runs now under each unique key that is taken until its end, counted at the workers.
    var runsOfKeys: [SharedWork.Key: JobID] = [:]
    var durable = DurableEntries()
    var topics: [[UInt8]: TopicRecord] = [:]
    var verifiedCount: UInt64 = 0
    var leases: LeaseWatch
    /// A machine that has taken every durable row and nothing else.
    var shadow = Ledger.emptyMachine
    /// The same with everything that this life of the front has decided since.
    var follower = Follower(Ledger.emptyMachine, last: TurnNumber(0))
    /// The lowest number that each session's client had not been answered when the front was looked at last.
    var marks: [SessionID: UInt64] = [:]
    /// Turns of the front so far.
    var turnCount: UInt64 = 0
    /// Times at which the front's state was compared with the replay of its journal.
    var comparisonCount: UInt64 = 0
    /// Epochs of the front so far.
    var epochCount = 0
    var queue: QueueWatch
    /// Loaders that some worker has offered durably.
    var offeredLoaders: Set<String> = []
    /// Objects that are there, and when each was made; those that were collected.
    var objects: [ObjectDigest: WallTime] = [:]
    var collected: Set<ObjectDigest> = []
    /// Jobs and leases of the reports that have reached the front, by worker's connection and report.
    var reports: [PeerID: [UInt64: [(job: UInt64, lease: UInt64)]]] = [:]
    var interests: [Topic: ViewInterest] = [:]
    var places = RequestPlaces()
    /// The views that jobs make orders for, fetch details for, and select what they make in.
    var orderJobs: [UInt64: Topic] = [:]
    var detailJobs: [UInt64: Topic] = [:]
    /// Views whose next change may take back the selection, because its detail was lost.
    var losing: Set<Topic> = []
    var createJobs: [UInt64: Topic] = [:]
    var saves = SaveWatch()
    var refusals = RefusalWatch()
    var lastFrame: LastFrame?

    init(_ world: World) {
        self.world = world
        let bounds = world.variation.bounds
        queue = QueueWatch(
            crashLimit: Int(world.variation.crashLimit), queueLimit: UInt64(bounds.queuedJobs), drainedLimit: bounds.drainedWorkers)
        queue.reservationPause = world.flow.mayHaveReservations ? world.flow.reservationPause : nil
        queue.pauses.groups = { [flow = world.flow] in flow.settings(of: $0).groups }
        queue.bulkActions.forgetsEndedJobs = world.variation.forgetsEndedJobs
        queue.shares.weights = world.flow.settings(of: Epoch(1)).clientWeights
        leases = LeaseWatch(loss: world.variation.times.loss)
        greatestCapacities = world.flow.greatest
        queue.limits.ofFeeds = { [flow = world.flow] in flow.limitKeys(of: $0.key, $0.operation, loader: $0.loader) }
        for feed in world.flow.feeds { queue.debounces.ofLoads[feed.name] = feed.loads.debounce }
        queue.retryRules = world.flow.settings(of: Epoch(1)).retryRules
    }

    /// Whether jobs are not journaled: a restart of the front then forgets them, and promises less.
    var isMemory: Bool { world.variation.durability == .memory }

    var acceptedCount: Int { acceptedJobs.count }

    func nextMarker() -> UInt64 {
        markerCount += 1
        return markerCount
    }

    func nextRun() -> UInt64 {
        runCount += 1
        return runCount
    }

    // MARK: What clients were told

    /// A submit was accepted.
    func accepted(
        _ first: JobID, _ count: UInt32, _ acceptance: JobAcceptance, loader: SimulatedLoader, markers: [UInt64], options: JobOptionsColumn,
        by client: ClientProcess
    ) {
        guard Int(count) == markers.count else {
            return world.violate(.batchIsWhole, "\(client.name) submitted \(markers.count) jobs, \(count) are accepted")
        }
        world.note("\(client.name): \(count) \(loader) jobs are accepted from \(first)\(acceptance == .new ? "" : ", \(acceptance)")")
        if acceptance == .new { checkRates(of: options, count: markers.count, by: client.name) }
        if let options = options.distinct.first, options.uniqueKey != nil { checkKey(of: first, acceptance, marker: markers[0]) }
        for (offset, marker) in markers.enumerated() {
            let job = first.advanced(by: UInt64(offset))
            accept(job, marker: marker)
            submitted(job, with: world.flow.options(of: options[offset], loader: loader.declaration.name))
            if loader == .absent { entries[job]?.waitsForEver = true }
        }
    }

    private func accept(_ job: JobID, marker: UInt64) {
        if marker != 0 { mark(job, marker) }
        if entries[job, default: JobEntry()].isAccepted { return }
        entries[job, default: JobEntry()].isAccepted = true
        acceptedJobs.append(job)
    }

    /// A request was answered.
    func replied(_ reply: Reply, to call: OpenCall, of client: ClientProcess) {
        switch reply {
        case .accepted(let job, let isJoined):
            world.note("\(client.name): \(call) is accepted as job \(job)\(isJoined ? ", joined" : "")")
            if case .save(let marker) = call {
                saves.accept(job, marker: marker)
                accept(job, marker: marker)
            } else {
                accept(job, marker: 0)
            }
        case .cancelling(let job):
            world.note("\(client.name): job \(job) is being cancelled")
            entries[job, default: JobEntry()].isCancelConfirmed = true
            if let state = entries[job]?.state, state != .cancelled {
                world.violate(.cancelledStays, "job \(job) had ended as \(state.name) before its cancel was accepted")
            }
        case .alreadyEnded(let job, let state): received(job, state, by: "the reply to \(client.name)'s cancel")
        case .jobs(let jobs, let next, _):
            for job in jobs where job.state.isFinal { received(job.id, job.state, by: "\(client.name)'s list") }
            for job in jobs { checkOptions(of: job, by: "\(client.name)'s list") }
            if case .other(.job(.list(let query))) = call { check(jobs, areWhat: query) }
            if case .listing(let count, let listed) = call, next == nil { compareListing(listed + jobs.map(\.id), upTo: count) }
        case .explanation(let timeline):
            if timeline.job.state.isFinal { received(timeline.job.id, timeline.job.state, by: "an explanation") }
            checkOptions(of: timeline.job, by: "an explanation")
        case .refused(let failure, _): refused(failure, call)
        case .done:
            if case .other(.drainWorker(let worker)) = call { queue.drains(worker) }
            if case .other(.pause(.begin(let target, let asked, let length?))) = call {
                queue.pauses.begins(target, asked: Int64(asked) ?? 0, for: length)
            }
        case .selected(let number, _, _):
            guard case .other(.job(.bulk(let asked))) = call, !asked.isDry else { break }
            if !queue.bulkActions.isKnown(number, as: asked) {
                world.violate(.bulksAreWhole, "\(client.name) asked for \(asked), and the front does something else under \(number)")
            }
        case .jobsAccepted, .feeds: break
        }
        if case .order(let part, let view, let version) = call { answered(part, of: view, naming: version, with: reply) }
    }

    private func compareListing(_ jobs: [JobID], upTo count: Int) {
        let listed = Set(jobs)
        if let lost = acceptedJobs.prefix(count).first(where: { !listed.contains($0) && !mayBeForgotten($0) }) {
            world.violate(.acceptedIsKept, "job \(lost) is not listed")
        }
    }

    private func refused(_ failure: Failure, _ call: OpenCall) {
        guard failure.code == .unknownItem else { return }
        switch call {
        case .cancel(let job), .other(.job(.explain(let job))), .other(.job(.reprioritize(let job, _))), .other(.job(.promote(let job))),
            .other(.job(.delay(let job, _))), .other(.job(.forgive(let job))):
            if durable.ends[job.rawValue] != nil { world.metBounds.count(.endedJobs) }
            guard entries[job]?.isAccepted == true, !mayBeForgotten(job) else { return }
            world.violate(.acceptedIsKept, "job \(job) is not known: \(failure.text)")
        case .submit, .save, .listing, .order, .page, .other: break
        }
    }

    /// Whether a job may be unknown by now: it has ended, and few ended ones are kept; or it was never written.
    func mayBeForgotten(_ job: JobID) -> Bool {
        if entries[job]?.isForgotten == true { return true }
        // A client may also learn that a job is accepted after the epoch that accepted it has ended.
        if isMemory { return epochCount > 1 || world.variation.forgetsEndedJobs }
        return world.variation.forgetsEndedJobs && durable.ends[job.rawValue] != nil
    }

    /// Somebody was told how a job ended.
    func received(_ job: JobID, _ state: JobState, result: [UInt8] = [], by reporter: String) {
        guard state.isFinal else { return }
        let entry = entries[job, default: JobEntry()]
        if let known = entry.state, known != state {
            world.violate(.endsOnce, "job \(job) was \(known.name), by \(reporter) it is \(state.name)")
        }
        if entry.isCancelConfirmed, state != .cancelled {
            world.violate(.cancelledStays, "job \(job) is \(state.name) by \(reporter)")
        }
        if state == .succeeded, result.count >= 8, Run.number(in: result) != entry.lastRun {
            world.violate(
                .lateIsIgnored,
                "job \(job) has the result of run \(Run.number(in: result)), run \(entry.lastRun) began later, by \(reporter)")
        }
        guard entry.state == nil else { return }
        if entry.runningCount > 0 {
            world.violate(.endedIsStopped, "job \(job) is \(state.name) by \(reporter), run \(entry.lastRun) goes on")
        }
        entries[job, default: JobEntry()].state = state
        world.note("job \(job) is \(state.name) by \(reporter)")
    }

    /// A client sees an item of a topic.
    func observed(_ value: ItemValue?, key: String, in topic: Topic) {
        switch value {
        case .job(let job):
            received(job.id, job.state, by: "topic \(topic)")
            checkOptions(of: job, by: "topic \(topic)")
        case .feed(let feed):
            if let failure = feed.failure { lastFailures[feed.key] = failure.id }
            if let object = feed.content?.object { seen(object, in: topic) }
        case .view(let view):
            if let revision = view.revision {
                seen(revision.content, in: topic)
                if let order = revision.order { seen(order, in: topic) }
            }
            if case .stored(let object) = view.detail { seen(object, in: topic) }
        case .none: world.violate(.itemsAreReadable, "item \(key) of \(topic) cannot")
        // What else there is names neither a job's state nor an object.
        default: break
        }
    }

    /// An object was published: its digest names the run and the job that made it.
    private func seen(_ object: ObjectReference, in topic: Topic) {
        let (run, job) = (object.digest.words.0, JobID(object.digest.words.1))
        let entry = entries[job, default: JobEntry()]
        if entry.isCancelConfirmed || entry.state == .cancelled {
            world.violate(.cancelledPublishesNothing, "\(topic) shows what run \(run) of cancelled job \(job) made")
        }
        if entry.lastRun != run {
            world.violate(.lateIsIgnored, "\(topic) shows run \(run) of job \(job), run \(entry.lastRun) began later")
        }
    }

    // MARK: What really ran

    /// A job begins in a slot.
    func began(_ run: Run) {
        let saved = queue.runs.resumeState(of: run.job)
        // A front that keeps nothing writes no entry of it.
        if !isMemory, run.resumeState != saved {
            world.violate(
                .resumesWhereItWas,
                "run \(run.number) of job \(run.job) begins with \(run.resumeState.count) bytes, \(saved.count) were saved")
        }
        world.note(
            "run \(run.number) of \(run.loader) job \(run.job) begins on \(run.worker.name)\(run.work.map { " for \($0.key) \($0.operation)" } ?? "")"
        )
        note(run.number, run.job, run.marker, run.loader)
        entries[run.job, default: JobEntry()].runningCount += 1
        takeLimits(limits(of: run), of: run.job)
        takeTokens(run.marker, of: run.job)
        takeKey(run.marker, of: run.job)
        if run.worker.runs.count > run.worker.slots {
            world.violate(
                .slotsHold, "\(run.worker.name) runs \(run.worker.runs.count) of \(run.worker.slots)")
        }
        guard let line = run.line else { return }
        if let holder = lineHolders[line] {
            world.violate(.oneLoadAKey, "run \(run.number) of job \(run.job) begins while run \(holder) holds \(line)")
        }
        lineHolders[line] = run.number
    }

    /// A run has really ended, or its process has.
    func ended(_ run: Run) {
        guard !run.isOver else { return }
        run.isOver = true
        world.note("run \(run.number) of job \(run.job) is over")
        entries[run.job, default: JobEntry()].runningCount -= 1
        freeLimits(limits(of: run))
        audits.ended(run.number, at: world.now)
        freeKey(run.marker, of: run.job)
        if let line = run.line, lineHolders[line] == run.number { lineHolders[line] = nil }
    }

    /// A loader asks that its job be run again later, be it one that nobody else may run twice.
    func snoozes(_ run: Run) { snoozed.insert(run.job) }

    /// A bulk job ran.
    func ranBulk(_ job: JobID, marker: UInt64, on worker: WorkerProcess) -> UInt64 {
        let number = nextRun()
        world.note("run \(number) of bulk job \(job) on \(worker.name)")
        note(number, job, marker, .noop)
        takeLimits(limitsOfMarkers[marker] ?? [], of: job)
        takeTokens(marker, of: job)
        freeLimits(limitsOfMarkers[marker] ?? [])
        return number
    }

    private func note(_ number: UInt64, _ job: JobID, _ marker: UInt64, _ loader: SimulatedLoader) {
        let entry = entries[job, default: JobEntry()]
        defer { snoozed.remove(job) }
        if entry.runningCount > 0 {
            world.violate(
                .runsOnceAtATime, "run \(number) of job \(job) begins while run \(entry.lastRun) goes on")
        }
        if loader == .once, entry.lastRun != 0, !snoozed.contains(job) {
            world.violate(.unrepeatableRunsOnce, "run \(number) of job \(job) follows run \(entry.lastRun)")
        }
        if let state = entry.state {
            world.violate(.nothingRunsAfterItsEnd, "run \(number) of job \(job) begins after it was \(state.name)")
        }
        if marker != 0 { mark(job, marker) }
        entries[job, default: JobEntry()].lastRun = number
    }

    /// What a request asked for is one job, however often the request was sent.
    private func mark(_ job: JobID, _ marker: UInt64) {
        // The same work may be asked for again once nobody does it.
        if SharedWork(marker) != nil { return }
        if let other = markedJobs[marker], other != job, durable.origin(of: other) != durable.origin(of: job) {
            world.violate(.carriedOutOnce, "jobs \(other) and \(job) are of the same request")
        }
        markedJobs[marker] = job
    }

    /// Clients have these replies.
    func raiseMarks(to known: [SessionID: UInt64]) { marks.merge(known) { max($0, $1) } }

    // MARK: Rest

    /// Whether no worker can ever run a job.
    func mayWaitForEver(_ job: JobID) -> Bool { entries[job]?.waitsForEver == true }

    private func hasEnded(_ job: JobID) -> Bool {
        guard let entry = entries[job] else { return false }
        return entry.state != nil || entry.waitsForEver || mayBeForgotten(job)
    }

    /// What keeps the world from being at rest; nil: nothing.
    func unrest() -> String? {
        guard let front = world.front, front.isAlive, front.isBound else { return "the front does not serve" }
        // Inside of a call its state is half of a turn's.
        if front.isBusy { return "the front stands still" }
        for worker in world.workers where !worker.isAlive { return "\(worker.name) is dead" }
        for client in world.clients {
            if let reason = client.unrest { return reason }
        }
        if let job = acceptedJobs.first(where: { !hasEnded($0) }) { return "accepted job \(job) has not ended" }
        // What repeats jobs waits for room, and says so: where that is small, jobs that nobody can run, or the options of ended ones, leave none.
        let mayWait = world.variation.mayLackRoom && front.hasWaitingAction
        if let work = front.workLeft, !(mayWait && work.hasPrefix("bulk")) { return "the \(work) is not done" }
        return nil
    }
}

/// What is known of a job from outside of the front.
struct JobEntry {
    /// Whether a client was told that it is accepted.
    var isAccepted = false
    /// Whether a client was told that its cancel is accepted.
    var isCancelConfirmed = false
    /// Whether its life of the front ended and had not written it.
    var isForgotten = false
    /// Whether no worker can ever run it.
    var waitsForEver = false
    /// How it is to be run, as its client said; nil: no client said.
    var options: JobOptions?
    /// Priorities that clients have asked for since.
    var askedPriorities: Set<UInt8> = []
    /// How it ended, as somebody was told first.
    var state: JobState?
    /// The run that began last; 0: none did.
    var lastRun: UInt64 = 0
    /// Slot runs that go on now.
    var runningCount = 0
}
