//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What clients were told, what really ran and what left the front: the promises are checked against this, never against the front's state.
final class Ledger {
    unowned let world: World
    /// Accepted jobs in the order in which clients were told.
    private(set) var acceptedJobs: [JobID] = []
    private(set) var entries: [JobID: JobEntry] = [:]
    /// The last failure that a client saw of each feed.
    private(set) var lastFailures: [FeedKey: FailureID] = [:]
    private(set) var runCount: UInt64 = 0
    private var markerCount: UInt64 = 0
    /// The job that each marker was seen in.
    private var markedJobs: [UInt64: JobID] = [:]
    /// The run that holds a line of a feed now.
    private var lineHolders: [String: UInt64] = [:]
    var durable = DurableFacts()
    var topics: [[UInt8]: TopicRecord] = [:]
    var proofCount: UInt64 = 0
    var leases = LeaseWatch()

    init(_ world: World) { self.world = world }

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
    func accepted(_ first: JobID, _ count: UInt32, loader: SimulatedLoader, markers: [UInt64], by client: ClientProcess) {
        guard Int(count) == markers.count else {
            return world.violate("all of a batch is accepted", "\(client.name) handed in \(markers.count) jobs, \(count) are accepted")
        }
        world.note("\(client.name): \(count) \(loader) jobs are accepted from \(first)")
        for (offset, marker) in markers.enumerated() { accept(first.advanced(by: UInt64(offset)), marker: marker) }
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
            if case .create(let marker) = call { accept(job, marker: marker) } else { accept(job, marker: 0) }
        case .cancelling(let job):
            world.note("\(client.name): job \(job) is being cancelled")
            entries[job, default: JobEntry()].isCancelConfirmed = true
            if let state = entries[job]?.state, state != .cancelled {
                world.violate("a cancelled job ends as cancelled", "job \(job) had ended as \(state.name) before its cancel was accepted")
            }
        case .alreadyEnded(let job, let state): told(job, state, by: "the reply to \(client.name)'s cancel")
        case .jobs(let jobs, let next):
            for job in jobs where job.state.isFinal { told(job.id, job.state, by: "\(client.name)'s list") }
            if case .listing(let count, let listed) = call, next == nil { compareListing(listed + jobs.map(\.id), upTo: count) }
        case .explanation(let story): if story.job.state.isFinal { told(story.job.id, story.job.state, by: "an explanation") }
        case .refused(let failure, _): refused(failure, call)
        case .done, .jobsAccepted, .feeds: break
        }
    }

    private func compareListing(_ jobs: [JobID], upTo count: Int) {
        let listed = Set(jobs)
        if let lost = acceptedJobs.prefix(count).first(where: { !listed.contains($0) }) {
            world.violate("no accepted job is lost", "job \(lost) is not listed")
        }
    }

    private func refused(_ failure: Failure, _ call: OpenCall) {
        guard failure.code == .unknownItem else { return }
        switch call {
        case .cancel(let job), .other(.explain(let job)):
            guard entries[job]?.isAccepted == true else { return }
            world.violate("no accepted job is lost", "job \(job) is not known: \(failure.text)")
        case .submit, .create, .listing, .other: break
        }
    }

    /// Somebody was told how a job ended.
    func told(_ job: JobID, _ state: JobState, result: [UInt8] = [], by teller: String) {
        guard state.isFinal else { return }
        let entry = entries[job, default: JobEntry()]
        if let known = entry.state, known != state {
            world.violate("a job ends once, the same for everybody", "job \(job) was \(known.name), by \(teller) it is \(state.name)")
        }
        if entry.isCancelConfirmed, state != .cancelled {
            world.violate("a cancelled job ends as cancelled", "job \(job) is \(state.name) by \(teller)")
        }
        if state == .succeeded, result.count == 8, Run.number(in: result) != entry.lastRun {
            world.violate(
                "no late result is applied",
                "job \(job) has the result of run \(Run.number(in: result)), run \(entry.lastRun) began later, by \(teller)")
        }
        guard entry.state == nil else { return }
        if entry.runningCount > 0 {
            world.violate("a job whose end is told runs no more", "job \(job) is \(state.name) by \(teller), run \(entry.lastRun) goes on")
        }
        entries[job, default: JobEntry()].state = state
        world.note("job \(job) is \(state.name) by \(teller)")
    }

    /// A client sees an item of a topic.
    func observed(_ value: ItemValue?, key: String, in topic: Topic) {
        switch value {
        case .job(let job): told(job.id, job.state, by: "topic \(topic)")
        case .feed(let feed):
            if let failure = feed.failure { lastFailures[feed.key] = failure.id }
            if let object = feed.content?.object { seen(object, in: topic) }
        case .view(let view):
            if let pair = view.pair {
                seen(pair.content, in: topic)
                if let order = pair.order { seen(order, in: topic) }
            }
            if case .stored(let object) = view.detail { seen(object, in: topic) }
        case .progress, .counts, .worker, .front: break
        case .none: world.violate("every item can be read", "item \(key) of \(topic) cannot")
        }
    }

    /// An object was published: its digest names the run and the job that made it.
    private func seen(_ object: ObjectReference, in topic: Topic) {
        let (run, job) = (object.digest.words.0, JobID(object.digest.words.1))
        let entry = entries[job, default: JobEntry()]
        if entry.isCancelConfirmed || entry.state == .cancelled {
            world.violate("a cancelled job never publishes its result", "\(topic) shows what run \(run) of cancelled job \(job) made")
        }
        if entry.lastRun != run {
            world.violate("no late result is applied", "\(topic) shows run \(run) of job \(job), run \(entry.lastRun) began later")
        }
    }

    // MARK: What really ran

    /// A job begins in a slot.
    func began(_ run: Run) {
        world.note(
            "run \(run.number) of \(run.loader) job \(run.job) begins on \(run.worker.name)\(run.work.map { " for \($0.key) \($0.operation)" } ?? "")"
        )
        note(run.number, run.job, run.marker, run.loader)
        entries[run.job, default: JobEntry()].runningCount += 1
        if run.worker.runs.count > run.worker.slots {
            world.violate(
                "the slots of a worker are never exceeded", "\(run.worker.name) runs \(run.worker.runs.count) of \(run.worker.slots)")
        }
        guard let line = run.line else { return }
        if let holder = lineHolders[line] {
            world.violate("one key, one load", "run \(run.number) of job \(run.job) begins while run \(holder) holds \(line)")
        }
        lineHolders[line] = run.number
    }

    /// A run has really ended, or its process has.
    func ended(_ run: Run) {
        guard !run.isOver else { return }
        run.isOver = true
        world.note("run \(run.number) of job \(run.job) is over")
        entries[run.job, default: JobEntry()].runningCount -= 1
        if let line = run.line, lineHolders[line] == run.number { lineHolders[line] = nil }
    }

    /// A short job ran.
    func ranShort(_ job: JobID, marker: UInt64, on worker: WorkerProcess) -> UInt64 {
        let number = nextRun()
        world.note("run \(number) of short job \(job) on \(worker.name)")
        note(number, job, marker, .noop)
        return number
    }

    private func note(_ number: UInt64, _ job: JobID, _ marker: UInt64, _ loader: SimulatedLoader) {
        let entry = entries[job, default: JobEntry()]
        if entry.runningCount > 0 {
            world.violate(
                "a job never runs twice at the same time", "run \(number) of job \(job) begins while run \(entry.lastRun) goes on")
        }
        if loader == .once, entry.lastRun != 0 {
            world.violate("what must not be repeated runs once", "run \(number) of job \(job) follows run \(entry.lastRun)")
        }
        if let state = entry.state {
            world.violate("nothing runs after its end was told", "run \(number) of job \(job) begins after it was \(state.name)")
        }
        if marker != 0 { mark(job, marker) }
        entries[job, default: JobEntry()].lastRun = number
    }

    /// What a request asked for is one job, however often the request was sent.
    private func mark(_ job: JobID, _ marker: UInt64) {
        if let other = markedJobs[marker], other != job {
            world.violate("a request is carried out once", "jobs \(other) and \(job) are of the same request")
        }
        markedJobs[marker] = job
    }

    // MARK: Rest

    /// What keeps the world from being at rest; nil: nothing.
    func unrest() -> String? {
        guard let front = world.front, front.isAlive, front.isBound else { return "the front does not serve" }
        for worker in world.workers where !worker.isAlive { return "\(worker.name) is dead" }
        for client in world.clients {
            if let reason = client.unrest { return reason }
        }
        if let job = acceptedJobs.first(where: { entries[$0]?.state == nil }) { return "accepted job \(job) has not ended" }
        return nil
    }
}
