//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// The ids of jobs and leases, each handed out once, and the level of the clock that places in line are made of.
///
/// Ids are taken before there is an entry that uses them. One that no entry names was sent to nobody, so a restart may use it again; where
/// entries that name ids are not journaled, a reservation covers them first.
struct JobNumbers {
    /// What the next job and the next lease get.
    private(set) var nextJob: UInt64 = 1
    private(set) var nextLease: UInt64 = 1
    /// Ids below these are covered by a durable reservation (memory mode).
    private(set) var reservedJobs: UInt64 = 1
    private(set) var reservedLeases: UInt64 = 1
    /// Ranks of one priority never go back.
    private(set) var lastRankTime = RankTime.zero
    /// What delays are measured by.
    private(set) var lengths = LengthClock()
    /// The turn at which a checkpoint stored that clock.
    private var lengthsStoredTurn: UInt64 = 0

    /// The next ids.
    mutating func takeJobs(_ count: UInt64) -> JobID {
        defer { nextJob += count }
        return JobID(nextJob)
    }

    /// The next leases.
    mutating func takeLeases(_ count: UInt64 = 1) -> LeaseID {
        defer { nextLease += count }
        return LeaseID(nextLease)
    }

    /// Ids up to these were handed out.
    mutating func notePassed(job: UInt64 = 0, lease: UInt64 = 0, _ turn: EntryTurn) { noteNext(job: job + 1, lease: lease + 1, turn) }

    /// All before these were handed out.
    mutating func noteNext(job: UInt64 = 1, lease: UInt64 = 1, _ turn: EntryTurn) { pass(job: job, lease: lease) }

    private mutating func pass(job: UInt64, lease: UInt64) {
        nextJob = max(nextJob, job)
        nextLease = max(nextLease, lease)
    }

    /// Ids below these may have been handed out.
    mutating func noteReserved(jobs: UInt64, leases: UInt64, _ turn: EntryTurn) {
        reservedJobs = max(reservedJobs, jobs)
        reservedLeases = max(reservedLeases, leases)
    }

    /// Ids that earlier epochs may have used are never used again.
    mutating func passReserved() { pass(job: reservedJobs, lease: reservedLeases) }

    /// The clock that ranks are made of is at least there.
    mutating func noteRankTime(_ time: RankTime, _ turn: EntryTurn) { lastRankTime = max(lastRankTime, time) }

    /// The clock of lengths has shown that.
    mutating func noteLengthTime(_ time: LengthTime, _ turn: EntryTurn) { lengths.note(time.milliseconds) }

    /// An epoch begins. The clock that a checkpoint stored has gone by those before it already, which it lists too.
    mutating func begin(_ epoch: JournalEntry.EpochBegan, _ turn: EntryTurn) {
        if turn.stored == nil, turn.number > lengthsStoredTurn { lengths.begin(epoch) }
    }

    /// A checkpoint stored them.
    mutating func restore(_ stored: JournalEntry.CountsStored, _ turn: EntryTurn) {
        noteRankTime(RankTime(milliseconds: stored.lastRankTime), turn)
        noteNext(job: stored.nextJob.rawValue, lease: stored.nextLease.rawValue, turn)
        (lengths, lengthsStoredTurn) = (stored.lengths, turn.stored ?? turn.number)
    }

    /// Stored jobs were handed out, and their leases. The clock that has given them their ranks was stored before them, or entries behind those tell it.
    mutating func note(_ stored: JournalEntry.StoredJobs, _ turn: EntryTurn) {
        for (index, id) in stored.jobs.enumerated() { notePassed(job: id, lease: stored.leases[index], turn) }
    }

    /// Ids that one row reserves: so many that a million jobs a second reserve once a second. A job may be granted more than once.
    private static let (jobsAtOnce, leasesAtOnce): (UInt64, UInt64) = (1_000_000, 2_000_000)
    /// Leases that are left when the next are reserved: a worker that reregisters takes one for each that it holds, and reserves none.
    private static let leastLeases: UInt64 = 500_000

    /// What is to be reserved now; nil: enough is.
    var dueReservation: JournalEntry.IDsReserved? {
        guard nextJob >= reservedJobs || nextLease + Self.leastLeases >= reservedLeases else { return nil }
        return JournalEntry.IDsReserved(jobs: JobID(nextJob + Self.jobsAtOnce), leases: LeaseID(nextLease + Self.leasesAtOnce))
    }
}

/// How many jobs there are in each state, how many have ended so, and how often some waited again. For people: a count that is wrong must not end
/// the front.
struct JobTotals {
    private(set) var counts = JobCounts()
    /// The turn at which a checkpoint stored those that no live job tells.
    private var storedTurn: UInt64 = 0

    /// Jobs that have not ended.
    var alive: UInt64 { counts.waiting + counts.scheduled + counts.running + counts.cancelling }
    /// Jobs that nobody holds, and that have not ended.
    var queued: UInt64 { counts.waiting + counts.scheduled }
    /// Jobs that ended by themselves, or as somebody asked.
    var ended: UInt64 { counts.succeeded + counts.failed + counts.cancelled + counts.expired }

    /// Counts a live job in or out.
    mutating func count(_ state: JobState, _ change: Int) {
        func move(_ count: inout UInt64) { count = UInt64(max(0, Int(count) + change)) }
        switch state {
        case .waiting: move(&counts.waiting)
        case .scheduled: move(&counts.scheduled)
        case .running: move(&counts.running)
        case .cancelling: move(&counts.cancelling)
        case .succeeded, .failed, .cancelled, .expired, .quarantined: break
        }
    }

    /// Counts the end of a job in, unless the totals that were stored have it.
    mutating func countEnd(_ state: JobState, _ turn: EntryTurn) {
        guard turn.number > storedTurn else { return }
        switch state {
        case .succeeded: counts.succeeded += 1
        case .failed: counts.failed += 1
        case .cancelled: counts.cancelled += 1
        case .expired: counts.expired += 1
        // Quarantined ones are counted from those that are known, as they can leave again.
        case .quarantined, .waiting, .scheduled, .running, .cancelling: break
        }
    }

    /// Counts attempts in that did not end their jobs, unless the totals that were stored have them.
    mutating func count(_ attempts: Int, _ cause: AttemptEndCause, _ turn: EntryTurn) {
        let count = turn.number > storedTurn ? UInt64(attempts) : 0
        if cause.mayHaveRun { counts.requeuedTotal += count }
        if cause == .failed { counts.retriedTotal += count }
        if cause == .snoozed { counts.snoozedTotal += count }
    }

    /// Counts quarantined jobs in: as many as are known, in memory or in bundles, so that a restart counts what it finds.
    mutating func countQuarantined(_ count: Int) { counts.quarantined += UInt64(count) }

    /// A quarantined job is forgotten.
    mutating func forget(_ state: JobState) { if state == .quarantined, counts.quarantined > 0 { counts.quarantined -= 1 } }

    /// Takes totals over; what is counted from jobs that are known is counted anew.
    mutating func restore(_ stored: JobCounts, _ turn: EntryTurn) {
        storedTurn = turn.stored ?? turn.number
        counts.succeeded = stored.succeeded
        counts.failed = stored.failed
        counts.cancelled = stored.cancelled
        counts.requeuedTotal = stored.requeuedTotal
        counts.expired = stored.expired
        counts.retriedTotal = stored.retriedTotal
        counts.snoozedTotal = stored.snoozedTotal
    }
}
