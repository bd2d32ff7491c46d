//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// Scheduled jobs: when their time comes, and who gives them another.
extension JobQueue {
    /// Jobs whose time comes in one turn; the rest waits for the next one. They make one entry together, and each a change for who observes it.
    static let dueAtOnce = 4_096

    /// What the clock of lengths shows.
    func lengthTime(in turn: FrontTurn) -> LengthTime { turn.state.jobs.lengthTime(at: turn.now.monotonic) }

    /// The time of scheduled jobs may have come: they stand in line from now on. That of pauses may be over.
    mutating func makeDue(in turn: inout FrontTurn) {
        endPauses(in: &turn)
        let jobs = turn.state.jobs.scheduled.due(length: lengthTime(in: turn), point: turn.now.wall, limit: Self.dueAtOnce)
        makeDue(jobs, in: &turn)
        freeDueKeys(in: &turn)
        awaitDue(in: &turn)
    }

    /// It is looked again when the time of the next scheduled job comes, or that of a pause, a unique key or a job that waits is over.
    func awaitDue(in turn: inout FrontTurn) {
        // On a full disk none of those that wait ends, and one whose time is over would be looked at in every turn.
        let endsLateJobs = !turn.context.storageIsFull
        let nexts = [
            turn.state.jobs.scheduled.nextLength, turn.state.jobs.pauses.nextEnd, turn.state.jobs.keys.nextRelease,
            endsLateJobs ? turn.state.jobs.ending.nextDeadline : nil,
        ]
        if let length = nexts.compactMap({ $0 }).min() {
            turn.check(.delays, by: turn.state.jobs.instant(of: length))
        }
        if let point = turn.state.jobs.scheduled.nextPoint { turn.check(.points, at: point) }
        if endsLateJobs, let point = turn.state.jobs.ending.nextExpiry { turn.check(.points, at: point) }
    }

    /// The disk is full, or has room again: all that wait may do so for another reason, and what is late may end.
    mutating func noteStorage(in turn: inout FrontTurn) {
        questions.askAllWaits()
        awaitDue(in: &turn)
    }

    private mutating func makeDue(_ jobs: [UInt64], in turn: inout FrontTurn) {
        guard !jobs.isEmpty else { return }
        turn.step(jobs.count)
        let (rankTime, lengthTime) = (rankTime(in: turn).milliseconds, lengthTime(in: turn).milliseconds)
        turn.record(.jobsDue(JournalEntry.JobsDue(jobs, rankTime: rankTime, lengthTime: lengthTime)))
        for id in jobs {
            noteJob(id, ItemKey.job, in: &turn)
            // Its feed shows for what the load waits from now on.
            if let load = turn.state.jobs.keyLines[id]?.job { note(.waits, of: load) }
        }
    }

    /// Moves a job that waits, or is scheduled, to another time. Its place in line counts from then; one that waits already keeps it when it is to
    /// wait no longer.
    mutating func delay(_ job: JobID, to start: JobStart, in turn: inout FrontTurn) -> Reply {
        let id = job.rawValue
        if let fault = start.fault(at: turn.now.wall) { return .refusal(.invalidData, fault) }
        if let refused = refusalUnlessWaiting(job, "only waiting and scheduled jobs can be moved", in: turn) { return refused }
        // A feed shows why its job waits, and nobody asked for that feed at another time.
        guard !turn.state.jobs[id].flags.contains(.isFeedJob) else {
            return .refusal(.conflict, "job \(job) works for a feed: only submitted jobs have a time")
        }
        if let holder = turn.state.jobs.keys.holder(before: id) {
            return .refusal(.conflict, "job \(job) starts once job \(holder) of its unique key has ended: it has no time of its own")
        }
        let lengthTime = lengthTime(in: turn)
        if let due = JobDue(start, from: lengthTime, at: turn.now.wall) {
            turn.record(.jobDelayed(JournalEntry.JobDelayed(job, due, lengthTime: lengthTime.milliseconds)))
            noteWaiting([id], in: &turn)
            awaitDue(in: &turn)
        } else if turn.state.jobs[id].state == .scheduled {
            makeDue([id], in: &turn)
        }
        return .done(version: 0)
    }

    /// A load that stands in line, or is scheduled, waits until nobody has asked for it for a while, but no longer than it may since it was accepted.
    mutating func debounce(_ load: JobID, _ debounce: Debounce, in turn: inout FrontTurn) {
        let record = turn.state.jobs[load.rawValue]
        guard record.wasNeverGranted, record.standing == .queued || record.standing == .scheduled else { return }
        let now = lengthTime(in: turn).milliseconds
        let time = debounce.time(since: turn.state.jobs.keyLines[load.rawValue]?.job.delayedSince ?? now, at: now)
        // It has been put off for as long as it may: it keeps the time that it has.
        guard time > now else { return }
        turn.record(.jobDelayed(JournalEntry.JobDelayed(load, .length(time), lengthTime: now)))
        noteWaiting([load.rawValue], in: &turn)
        awaitDue(in: &turn)
    }

    /// The entry of this epoch is there: from then on the clock of lengths goes by the boot that the machine is in.
    mutating func beginLengths(in turn: inout FrontTurn) {
        shownLengths = ShownLengths(turn.state.jobs.lengths, at: turn.now)
        freeKeysOfUnknown(in: &turn)
        configureLimits(in: &turn)
        configurePauses(in: &turn)
        awaitDue(in: &turn)
        awaitTokens(in: &turn)
    }

    /// The wall clock was set: observers see the ends of delays by it.
    mutating func noteShownLengths(in turn: inout FrontTurn) {
        shownLengths = ShownLengths(turn.state.jobs.lengths, at: turn.now)
        noteShownPauses(in: &turn)
        turn.state.jobs.noteShownLimits()
        // Feeds show until when their loads wait.
        let loads = turn.state.jobs.keyLines.all
        turn.step(loads.count / TurnContext.scansPerStep)
        let scheduled = loads.keys.filter { turn.state.jobs.contains($0) && turn.state.jobs[$0].standing == .scheduled }
        for id in scheduled.sorted() { if let load = loads[id]?.job { note(.waits, of: load) } }
        for id in views.observed.all where turn.state.jobs.contains(id) {
            let isShown = turn.state.jobs[id].standing == .scheduled || turn.state.jobs.deadline(of: id) != nil
            if isShown { noteJob(id, ItemKey.job, in: &turn) }
        }
    }
}

extension JobDue {
    /// When the time of a job comes that may start then; nil: it has come.
    /// - Parameters:
    ///   - length: What the clock of lengths shows.
    ///   - wall: What the wall clock shows.
    init?(_ start: JobStart, from length: LengthTime, at wall: WallTime) {
        switch start {
        case .after(let delay) where delay > .zero: self.init(length: length.advanced(by: delay))
        case .at(let time) where time > wall: self = .point(time)
        case .now, .after, .at: return nil
        }
    }
}

extension JournalEntry.AcceptedJobs {
    /// When the time of its jobs with such a start comes; nil: they wait at once.
    func due(_ start: JobStart) -> JobDue? { JobDue(start, from: LengthTime(milliseconds: lengthTime), at: acceptedAt) }

    /// How many of its jobs named a time that was over.
    var dueNowCount: UInt32 {
        options.runs(of: arguments.count).reduce(0) { count, run in
            guard case .at = run.options.start, due(run.options.start) == nil else { return count }
            return count + UInt32(run.rows.count)
        }
    }
}

/// What the wall clock shows when the clock of lengths does: for people. It is fixed until the wall clock is set, so that what observers see of a
/// job that waits for its time does not change from turn to turn.
struct ShownLengths {
    /// By how much the wall clock shows more.
    private var ahead: Duration = .zero

    init() {}

    /// As both are now.
    init(_ clock: LengthClock, at now: FrontTime) { ahead = now.wall.duration(since: Self.number(clock.lengthTime(at: now.monotonic))) }

    /// What the wall clock shows then.
    func wallTime(of time: LengthTime) -> WallTime { Self.number(time).advanced(by: ahead) }

    /// The same number of milliseconds on the wall clock, which means nothing by itself.
    private static func number(_ time: LengthTime) -> WallTime { WallTime(milliseconds: time.milliseconds) }

    /// When the time of a job comes by the wall clock.
    func wallTime(of due: JobDue) -> WallTime {
        switch due {
        case .length(let milliseconds): wallTime(of: LengthTime(milliseconds: milliseconds))
        case .point(let time): time
        }
    }
}
