//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryWire

// What workers hold: leases, and the runs of jobs.

/// When renewals reached the front's socket, and when that socket was read empty.
struct LeaseWatch {
    /// A worker, as its frames tell.
    struct Received {
        var registrationNumber = RegistrationNumber.none
        var number = RenewalNumber.none
        /// The connection that it registered over last: renewals over another one count for nothing until it registers there.
        var link: Link?
        /// When renewals of this attachment came, in nanoseconds.
        var arrivals: [Int64] = []
        /// Whether it sent close.
        var isLeaving = false
    }

    private(set) var epoch = Epoch.none
    private(set) var workers: [WorkerID: Received] = [:]
    /// The attachment of each worker that the front has decided last.
    var decided: [WorkerID: RegistrationNumber] = [:]
    /// When the workers' socket was read empty since the last row.
    var readEmptyAt: [Int64] = []

    /// When frames with renewals of each worker were read.
    private var reads: [WorkerID: [Int64]] = [:]

    /// How long after its deadline a lease is looked at whatever is unread, in nanoseconds: a front that reads slowly must not keep the
    /// slots of the dead.
    private static let gracePeriod: Int64 = 1_000_000_000

    /// Lease and grace, in nanoseconds.
    private let limit: Int64

    /// - Parameter milliseconds: Lease and grace.
    init(loss: Duration) { limit = loss.wholeNanoseconds }

    mutating func begin(_ epoch: Epoch) {
        self.epoch = epoch
        workers = [:]
        decided = [:]
        reads = [:]
        readEmptyAt = []
    }

    mutating func arrived(_ envelope: WorkerEnvelope, from link: Link, at now: Int64) {
        for message in envelope.messages {
            switch message {
            case .register: workers[envelope.worker, default: Received()].link = link
            case .renewal(let number, _, _):
                guard envelope.epoch == epoch else { return }
                var received = workers[envelope.worker] ?? Received()
                if envelope.registrationNumber > received.registrationNumber {
                    (received.registrationNumber, received.number, received.arrivals) = (envelope.registrationNumber, .none, [])
                }
                guard envelope.registrationNumber == received.registrationNumber, number > received.number, received.link === link else {
                    return
                }
                received.number = number
                received.arrivals.append(now)
                if received.arrivals.count > 32 { received.arrivals.removeFirst() }
                workers[envelope.worker] = received
            case .close: workers[envelope.worker, default: Received()].isLeaving = true
            case .progress, .ended, .cancelStep, .overdue, .draining, .refusedGrants, .log, .unknown, .unreadable: break
            }
        }
    }

    /// The front has read a frame with a renewal.
    mutating func noteRead(_ worker: WorkerID, at now: Int64) {
        guard let link = workers[worker]?.link, !link.isBroken else {
            // The front may know by now that this connection is gone: then nothing counts until the worker reregisters.
            workers[worker]?.arrivals = []
            return
        }
        reads[worker, default: []].append(now)
        if reads[worker, default: []].count > 32 { reads[worker]?.removeFirst() }
    }

    /// Whether a worker could be given up at one of the times at which the socket was read empty, or by now because nothing of it was read.
    func mayBeLost(_ id: WorkerID, at now: Int64) -> Bool {
        if reads[id]?.contains(where: { now - limit - Self.gracePeriod < $0 }) != true { return true }
        guard let received = workers[id], !received.isLeaving, received.registrationNumber == decided[id] else { return true }
        let patient = now - limit - Self.gracePeriod
        return !received.arrivals.contains { patient < $0 }
            || readEmptyAt.contains { time in !received.arrivals.contains { time - limit < $0 && $0 <= time } }
    }
}

/// A worker that lives is given up only when the front had read everything that had come and found no renewal for a lease and its grace.
extension Ledger {
    /// A worker's frame has reached the front's socket.
    ///
    /// - Parameter clock: What the front's own clock shows, in nanoseconds.
    /// - Returns: The worker, if the frame renews its leases.
    func arrived(_ bytes: [UInt8], from link: Link, clock: Int64) -> WorkerID? {
        guard !(link.endpoint.owner is Hostile) else { return nil }
        do {
            let envelope = try WireCodec().decodeWorker(bytes)
            leases.arrived(envelope, from: link, at: clock)
            noteReports(envelope, from: link.peer)
            for message in envelope.messages {
                if case .close = message { queue.ends(envelope.worker) }
                world.note(
                    "at the front from worker \(envelope.worker.rawValue % 10_000), registration \(envelope.registrationNumber): \(message)"
                )
            }
            let isRenewal = envelope.messages.contains { message in
                if case .renewal = message { true } else { false }
            }
            return isRenewal ? envelope.worker : nil
        } catch {
            world.violate(.framesAreReadable, "\(error)")
            return nil
        }
    }

    /// The front found the workers' socket empty.
    ///
    /// - Parameter clock: What its own clock shows, in nanoseconds.
    func workersWereReadEmpty(clock: Int64) { leases.readEmptyAt.append(clock) }

    /// Looks for lost workers in a row that is handed over.
    func checkLosses(_ entries: [JournalEntry]) {
        for entry in entries {
            if case .workerRegistered(let registered) = entry { leases.decided[registered.worker] = registered.registrationNumber }
            if case .workerLost(let lost) = entry {
                let id = lost.worker
                world.note("worker \(id.rawValue % 10_000) is given up")
                let clock = world.front?.reading(at: world.now).nanoseconds ?? 0
                if queue.slots[id] != nil, world.isAlive(id), !leases.mayBeLost(id, at: clock) {
                    world.violate(.renewedIsKept, "worker \(id.rawValue % 10_000), its renewals had come")
                }
                // It may be named once more, when the front forgets that it was to drain.
                leases.decided[id] = nil
            }
        }
        leases.readEmptyAt.removeAll(keepingCapacity: true)
    }
}

/// The runs of jobs at workers, as grants tell them: each that ends is written with what was granted, so that it is shown so. Reckoned beside the front,
/// never from its state.
struct RunWatch {
    /// A run that goes on.
    private struct Run {
        let worker: WorkerID
        let startedAt: WallTime
        let attempt: UInt32
    }

    private var running: [UInt64: Run] = [:]
    /// Attempts of each job that count.
    private var attempts: [UInt64: UInt32] = [:]
    /// Jobs of which a run has ended.
    private var known: Set<UInt64> = []
    private var names: [WorkerID: String] = [:]
    /// What jobs that go on have saved for their next attempts.
    private var saved: [UInt64: [UInt8]] = [:]
    private var crashCounts: [UInt64: UInt8] = [:]

    /// Takes an entry.
    /// - Returns: what it breaks.
    mutating func take(_ entry: JournalEntry) -> [String] {
        switch entry {
        case .workerRegistered(let registered): names[registered.worker] = registered.registration.name
        case .granted(let granted): for id in granted.jobs { start(id, granted) }
        case .jobsLogged(let logged):
            for (id, log) in zip(logged.jobs, logged.logs) { if let state = log.resumeState { saved[id] = state } }
            return zip(logged.jobs, logged.logs).compactMap { id, log in
                guard running[id] != nil else { return "job \(id), which nobody holds, has written lines" }
                // The front adds a line where it has no room for what a job saves.
                let strange = log.lines.first { !$0.text.hasPrefix("job \(JobID(id)) run ") && !$0.text.hasPrefix("what it saves ") }
                return strange.map { "a line of job \(id) is kept as \"\($0.text)\"" }
            }
        case .crashesForgiven(let forgiven): crashCounts[forgiven.job.rawValue] = nil
        case .attemptsEnded(let ended):
            guard ended.runs.count <= ended.jobs.count else { return ["more runs have ended than jobs"] }
            let runs = Dictionary(ended.runs.map { (Int($0.index), $0.value) }, uniquingKeysWith: { first, _ in first })
            return ended.jobs.enumerated().compactMap { row, job in endAttempt(job, ended.cause, runs[row]) }
        case .ended(let ended):
            let runs = Dictionary(ended.runs.map { (Int($0.index), $0.value) }, uniquingKeysWith: { first, _ in first })
            return ended.jobs.indices.compactMap { end(ended.jobs[$0], ended.states[$0], runs[$0], at: ended.at) }
        default: break
        }
        return []
    }

    /// What the next attempt of a job is to begin with.
    func resumeState(of job: JobID) -> [UInt8] { saved[job.rawValue] ?? [] }

    private mutating func start(_ id: UInt64, _ granted: JournalEntry.GrantedJobs) {
        if !granted.isReregistration { attempts[id, default: 0] += 1 }
        let startedAt = granted.isReregistration ? running[id]?.startedAt ?? granted.at : granted.at
        running[id] = Run(worker: granted.worker, startedAt: startedAt, attempt: attempts[id] ?? 0)
    }

    private mutating func endAttempt(_ ended: JournalEntry.EndedAttempt, _ cause: AttemptEndCause, _ run: JobRun?) -> String? {
        let id = ended.job.rawValue
        let isCrash = ended.crashCount > crashCounts[id] ?? 0
        (attempts[id], crashCounts[id]) = (ended.attempts, ended.crashCount)
        guard let was = running.removeValue(forKey: id), cause != .unsent, cause != .culprit else {
            return run == nil ? nil : "job \(id) had no run, and one is written"
        }
        known.insert(id)
        let ends: Set<RunEnd> =
            switch cause {
            case .failed: [.failed, .timedOut]
            case .snoozed: [.snoozed]
            case .cancelUnasked: [.stopped]
            case .returned, .refused: [.returned]
            default: isCrash ? [.crashed] : [.lost]
            }
        return difference(of: run, from: was, ends, id)
    }

    private mutating func end(_ id: UInt64, _ state: JobState, _ run: JobRun?, at time: WallTime) -> String? {
        (attempts[id], crashCounts[id], saved[id]) = (nil, nil, nil)
        let isKnown = known.remove(id) != nil
        guard let was = running.removeValue(forKey: id), isKnown || state != .succeeded else {
            return run == nil ? nil : "job \(id) had no run that is to be kept, and one is written"
        }
        if let run, run.endedAt != time { return "a run of job \(id) that ended it is written as ended at another time" }
        let ends: Set<RunEnd> =
            switch state {
            case .succeeded: [.succeeded]
            case .cancelled: [.cancelled]
            case .quarantined: [.crashed]
            default: [.failed, .timedOut, .lost]
            }
        return difference(of: run, from: was, ends, id)
    }

    private func difference(of run: JobRun?, from was: Run, _ ends: Set<RunEnd>, _ id: UInt64) -> String? {
        guard let run else { return "no run of job \(id) is written, and one has ended" }
        guard run.attempt == was.attempt, run.startedAt == was.startedAt, run.worker == names[was.worker] ?? "", ends.contains(run.end)
        else {
            return "a run of job \(id) is written as \(run.line); it was attempt \(was.attempt) at \(names[was.worker] ?? "") from "
                + "\(was.startedAt.rfc3339), and ended as one of \(ends.map(\.name).sorted())"
        }
        return nil
    }
}

extension JournalEntry {
    /// Whether it has lines of jobs.
    var isOfLogs: Bool { if case .jobsLogged = self { true } else { false } }
}
