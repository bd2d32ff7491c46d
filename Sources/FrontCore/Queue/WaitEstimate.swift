//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// When a waiting job may get a slot.
///
/// While nothing ends, the estimate falls from one look to the next, and then is unknown: a number that grew with the age of the running
/// jobs would never come true. It grows only where a job turns out to run longer than usual, once for that job.
enum WaitEstimate: Equatable {
    /// About so long.
    case after(Duration)
    /// It waits for jobs of loaders none of whose jobs has ended yet: they may go on for ever.
    case noneEnded
    /// All running jobs have run longer than others of their loader did: when one ends is unknown.
    case overdue
    /// No job has ended lately.
    case stalled

    /// Why it is not known, for people; nil: it is.
    var unknownStart: String? {
        switch self {
        case .after: nil
        case .noneEnded: "no job like those that run has ended since the front started"
        case .overdue: "the running jobs have run longer than others of their loader did"
        case .stalled: "no job has ended lately"
        }
    }
}

extension WaitReason {
    /// What has to happen first, where that has no time and nobody can estimate it, for people; nil: it has one, or the reason says it.
    var unknownStart: String? {
        switch self {
        case .noWorker: "a worker that offers its loader has to register first"
        case .workersNotReady: "one of those workers has to take jobs again first"
        case .keyTaken, .cancelledRunStopping: "that job has to end first"
        case .suspected: "a worker has to be free of other jobs first"
        case .limitFull(_, .permits): "jobs that count in the limit have to end first"
        case .limitFull(_, .reserved): "that job has to start first"
        case .limitFull(_, .tokens): "others may take the next tokens or slots"
        case .paused(let pause): pause.until == nil ? "the pause has to be ended first" : nil
        case .storageFull: "the disk has to have room first"
        case .slotsTaken, .slotsReserved, .restarting, .delayed, .backedOff, .snoozed, .limitTooSmall: nil
        }
    }
}

extension JobQueue {
    /// Held jobs that an estimate looks at, shared out evenly to the workers so that none hides the others': enough to estimate how long
    /// they take, so few that many explanations cost little.
    private static var estimateLookLimit: Int { 256 }

    /// About how long a job waits until it gets a slot, when every slot is taken.
    ///
    /// `place + 1` jobs must end before: first the running ones, each after what is left of its usual length, then one round after the
    /// other of those that wait, each as long as those that run usually are. One that has run longer than that is left out, so that one
    /// that hangs does not make every estimate unknown. Where only bulk jobs run, which take no slot, the ends of the last minute are used.
    mutating func estimate(place: UInt64, loader: Int, in turn: inout FrontTurn) -> WaitEstimate {
        let slots = turn.state.jobs.scheduler.slotsOffered(loader)
        let offering = turn.state.workers.indices.filter { turn.state.jobs.holding(of: $0)?.serves(loader) == true }
        let runs = sample(at: offering, of: nil, in: &turn)
        guard slots > 0 else { return .noneEnded }
        guard !runs.left.isEmpty else {
            let perSecond = throughput.perSecond(ended: turn.state.jobs.totals.ended, at: turn.now.monotonic)
            return perSecond.map { .after(Duration(clampingSeconds: Double(place + 1) / $0)) } ?? .stalled
        }
        return runs.end(of: place, atOnce: slots)
    }

    /// About how long a job waits that finds no room in a limit; nil: nobody can say.
    ///
    /// When there are tokens for those before it and for itself is known. For permits as many of the runs that have them must end, each after what is
    /// left of its usual length, as for slots. Others that stand before it and wait for slots alone take none of that. Where no slot is free either, it
    /// has to wait for that too, and for them.
    /// - Parameter place: How many jobs are granted before it, whatever they wait for.
    mutating func estimate(ofLimited record: JobRecord, place: UInt64, in turn: inout FrontTurn) -> Duration? {
        let loader = Int(record.loader)
        let set = Int(turn.state.jobs.terms.lane(of: Int(record.terms)).limitSet)
        let (key, now) = (turn.state.jobs.slab.key(of: record.id), lengthTime(in: turn))
        guard record.standing != .suspected, turn.state.jobs.scheduler.keptForSuspects(loader) == 0,
            let parked = turn.state.jobs.countParked(before: record.id),
            let need = turn.state.jobs.limits.need(of: set, for: key, place: parked, at: now)
        else { return nil }
        let wait: Duration
        switch need {
        case .tokens(let milliseconds): wait = .milliseconds(milliseconds)
        case .ends(let use, let count):
            let holding = turn.state.workers.indices.filter { turn.state.jobs.holding(of: $0) != nil }
            let runs = sample(at: holding, of: use, in: &turn)
            guard case .after(let length) = runs.end(of: UInt64(parked), atOnce: count) else { return nil }
            wait = length
        }
        guard !turn.state.jobs.scheduler.hasRoom(loader) else { return wait }
        guard case .after(let length) = estimate(place: place, loader: loader, in: &turn) else { return nil }
        return max(wait, length)
    }

    /// What is left of runs at workers, of as many as an estimate looks at.
    /// - Parameter use: Those that have permits of it; nil: those in slots.
    private func sample(at workers: [Int], of use: Int?, in turn: inout FrontTurn) -> RunSample {
        var (runs, looked) = (RunSample(), 0)
        defer { turn.step(turn.state.workers.count + looked) }
        for index in workers {
            var job = turn.state.jobs.held(by: index).first
            var share = max(1, Self.estimateLookLimit / workers.count)
            while job != 0, share > 0 {
                (looked, share) = (looked + 1, share - 1)
                let record = turn.state.jobs[job]
                job = record.next
                if let use {
                    let set = Int(turn.state.jobs.terms.lane(of: Int(record.terms)).limitSet)
                    guard turn.state.jobs.limits.uses(of: set).contains(use) else { continue }
                } else if record.flags.contains(.isBulk) {
                    continue
                }
                runs.add(lengths.usual(loader: Int(record.loader)), after: record.runLength(at: turn.now.wall))
            }
        }
        return runs
    }
}

/// Runs of which the ends are waited for, or some of them where there are many: those are a fair sample.
private struct RunSample {
    /// What is left of each, in seconds: infinite where nobody knows how long it takes.
    private(set) var left: [Double] = []
    /// How long they take, all together.
    private var whole = 0.0

    /// A run goes on for so long by now, of those that usually take that long; nil: nobody knows.
    mutating func add(_ usual: Duration?, after length: Duration) {
        let usual = usual?.inSeconds ?? .infinity
        left.append(max(0, usual - length.inSeconds))
        whole += usual
    }

    /// When so many runs have ended and one more, of which so many go on at once.
    func end(of place: UInt64, atOnce count: Int) -> WaitEstimate {
        let (round, placeInRound) = place.quotientAndRemainder(dividingBy: UInt64(max(1, count)))
        let sending = left.filter { $0 > 0 }.sorted()
        guard !sending.isEmpty else { return .overdue }
        let next = sending[min(Int(placeInRound) * sending.count / max(1, count), sending.count - 1)]
        guard next.isFinite, round == 0 || whole.isFinite else { return .noneEnded }
        return .after(Duration(clampingSeconds: round == 0 ? next : next + Double(round) * whole / Double(left.count)))
    }
}

extension JobRecord {
    /// How long a job that is held by a worker has run; a step of the wall clock makes it no less than none.
    func runLength(at now: WallTime) -> Duration { max(.zero, now.duration(since: changedAt)) }
}

/// How fast jobs end: the ends of about the last minute.
struct Throughput: Sendable {
    /// How long ends are counted before the count begins anew: long enough to even out jobs of seconds, short enough to follow a change.
    private static let span: Duration = .seconds(60)
    /// A shorter count says nothing yet: the throughput of the time before is used.
    private static let leastSpan: Duration = .seconds(1)

    /// When so many expected ends did not come, the throughput has changed; fewer may be chance.
    private static let missedEnds = 10.0

    private var started: MonotonicTime?
    private var endedAtStart: UInt64 = 0
    private var previousPerSecond: Double?
    /// How many jobs had ended when the last one was noted, and when that was.
    private var last: (ended: UInt64, at: MonotonicTime)?

    /// Notes how many jobs had ended at a time.
    mutating func note(ended: UInt64, at time: MonotonicTime) {
        if last.map({ $0.ended != ended }) ?? true { last = (ended, time) }
        guard let begin = started else {
            (started, endedAtStart) = (time, ended)
            return
        }
        let elapsed = time.duration(since: begin)
        guard elapsed >= Self.span || ended < endedAtStart else { return }
        previousPerSecond = ended < endedAtStart ? nil : Double(ended - endedAtStart) / elapsed.inSeconds
        (started, endedAtStart) = (time, ended)
    }

    /// Ends per second of the last minute; nil when unknown or none, or when many should have come by it since the last one.
    ///
    /// The time since the last one counts only for that: otherwise an estimate made of it would count up while nothing ends.
    func perSecond(ended: UInt64, at time: MonotonicTime) -> Double? {
        guard let begin = started, let last else { return nil }
        let elapsed = last.at.duration(since: begin)
        let isMeaningful = elapsed >= Self.leastSpan && ended > endedAtStart
        let current = isMeaningful ? Double(ended - endedAtStart) / elapsed.inSeconds : previousPerSecond
        guard let current, current > 0 else { return nil }
        let quiet = time.duration(since: last.at)
        return quiet < Self.leastSpan || quiet.inSeconds * current < Self.missedEnds ? current : nil
    }
}

/// How long jobs of each loader ran lately: for estimates.
///
/// It is not restored: a front that has just started learns it anew. A loader that takes over the index of a removed one gets wrong
/// estimates until a few of its jobs have ended.
struct RunLengths: Sendable {
    /// What a new length weighs in the average of a loader.
    private static let weight = 0.25

    /// What a job counts with at least: zero means that nothing is known.
    private static let shortestLength: Duration = .milliseconds(1)

    /// Averages in seconds, which are no whole numbers of anything, by the index of the loader's name; 0: unknown.
    private var averages: [Double] = []

    /// Notes that a job has run for so long.
    mutating func note(loader: Int, length: Duration) {
        while averages.count <= loader { averages.append(0) }
        let average = averages[loader]
        averages[loader] =
            average > 0 ? average + Self.weight * (length.inSeconds - average) : max(length, Self.shortestLength).inSeconds
    }

    /// How long a job of a loader runs; nil while none has ended.
    func usual(loader: Int) -> Duration? {
        guard loader < averages.count, averages[loader] > 0 else { return nil }
        return Duration(clampingSeconds: averages[loader])
    }
}

/// Why slots stay free, by the loader whose jobs could have them: for which suspected jobs, or since no worker takes any; each is looked up once for an
/// answer.
struct ReservedSlots {
    private var suspects: [UInt32: UInt64] = [:]
    private var ready: [UInt32: Bool] = [:]

    /// Whether a worker that offers a loader takes jobs at the moment.
    mutating func isReady(_ loader: UInt32, in turn: FrontTurn) -> Bool {
        let known = ready[loader] ?? turn.state.jobs.isReady(Int(loader), workers: turn.state.workers.indices)
        ready[loader] = known
        return known
    }

    /// The suspected job for which slots of workers that offer a loader are reserved; nil: none are.
    mutating func suspect(before loader: UInt32, in turn: FrontTurn) -> JobID? {
        let known = suspects[loader] ?? turn.state.jobs.suspect(before: Int(loader), workers: turn.state.workers.indices)
        suspects[loader] = known
        return known == 0 ? nil : JobID(known)
    }
}

extension JobQueue {
    /// A job in memory as the answer to a question shows it: also for which job slots are reserved that it could have, and whether any worker takes jobs.
    ///
    /// Its topic does not tell that: it changes with each job that begins or ends to be alone, and with each worker that gives work back, and each
    /// time it had to be sent to whoever observes a job.
    func askedSummary(of record: JobRecord, _ reserved: inout ReservedSlots, in turn: FrontTurn) -> JobSummary {
        var summary = summary(of: record, in: turn)
        guard summary.waitReason == .slotsTaken else { return summary }
        if let suspect = reserved.suspect(before: record.loader, in: turn) {
            summary.waitReason = .slotsReserved(for: suspect)
        } else if !reserved.isReady(record.loader, in: turn) {
            summary.waitReason = .workersNotReady
        }
        return summary
    }
}

extension JobLifecycle {
    /// Whether one of the workers that offer a loader takes jobs at the moment.
    fileprivate func isReady(_ loader: Int, workers: Range<Int>) -> Bool {
        workers.contains { worker in
            guard let holding = holding(of: worker), holding.serves(loader) else { return false }
            return holding.room(in: slab).isTaking
        }
    }

    /// The suspected job that runs alone at a worker which offers a loader and has room for more, or is to once that worker is empty; 0: none.
    fileprivate func suspect(before loader: Int, workers: Range<Int>) -> UInt64 {
        guard scheduler.keptForSuspects(loader) > 0 else { return 0 }
        for worker in workers {
            guard let holding = holding(of: worker), holding.serves(loader) else { continue }
            let room = holding.room(in: slab)
            guard room.free(.slot) > 0 || room.free(.ahead) > 0 else { continue }
            if room.isAlone { return holding.held.first }
            if let suspect = scheduler.suspect(keeping: worker) { return suspect }
        }
        return 0
    }
}
