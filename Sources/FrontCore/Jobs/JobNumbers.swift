//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The ids of jobs and leases, each handed out once, and the level of the clock that places in line are made of.
///
/// Ids are taken before there is an entry that uses them. One that no entry names was told to nobody, so it is no loss that a restart hands it out
/// again; where entries that name ids are not journalled, a reservation covers them first.
struct JobNumbers {
    /// What the next job and the next lease get.
    private(set) var nextJob: UInt64 = 1
    private(set) var nextLease: UInt64 = 1
    /// Ids below these are covered by a durable reservation (memory mode).
    private(set) var reservedJobs: UInt64 = 1
    private(set) var reservedLeases: UInt64 = 1
    /// In milliseconds: ranks of one priority never go back.
    private(set) var lastRankTime: Int64 = 0

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

    /// What earlier lives may have handed out is handed out by none again.
    mutating func passReserved() { pass(job: reservedJobs, lease: reservedLeases) }

    /// The clock that ranks are made of is at least there.
    mutating func noteRankTime(_ time: Int64, _ turn: EntryTurn) { lastRankTime = max(lastRankTime, time) }

    /// Stored jobs were handed out, and their leases. What many of them have in common is looked up once: a restart may read millions.
    mutating func note(_ stored: JournalEntry.StoredJobs, _ turn: EntryTurn) {
        let times = stored.terms.map { RankClock.time(of: 0, $0.options) }
        for (index, id) in stored.jobs.enumerated() {
            notePassed(job: id, lease: stored.leases[index], turn)
            noteRankTime(stored.ranks[index] + times[Int(stored.termIndexes[index])], turn)
        }
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
