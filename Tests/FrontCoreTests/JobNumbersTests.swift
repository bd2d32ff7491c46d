//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

@Suite("The ids of jobs and leases")
struct JobNumbersTests {
    @Test("each is handed out once, in order, also after some that an entry names")
    func order() {
        var state = FrontState()
        #expect(state.jobs.number { ($0.takeJobs(3), $0.takeJobs(1)) } == (JobID(1), JobID(4)))
        #expect(state.jobs.number { ($0.takeLeases(), $0.takeLeases(2)) } == (LeaseID(1), LeaseID(2)))
        state.apply(.jobsAccepted(accepted(from: 9, count: 2, rankTime: 1)))
        state.apply(.jobsAccepted(accepted(from: 7, count: 1, rankTime: 1)))
        #expect(state.jobs.number { ($0.takeJobs(1), $0.takeLeases()) } == (JobID(11), LeaseID(4)))
    }

    @Test("a reservation is due when the last reserved job has been handed out, not before")
    func jobs() {
        var state = FrontState()
        #expect(state.jobs.numbers.dueReservation == JournalEntry.IDsReserved(jobs: JobID(1_000_001), leases: LeaseID(2_000_001)))
        state.apply(.idsReserved(JournalEntry.IDsReserved(jobs: JobID(4), leases: LeaseID(2_000_001))))
        _ = state.jobs.number { $0.takeJobs(2) }
        #expect(state.jobs.numbers.dueReservation == nil)
        _ = state.jobs.number { $0.takeJobs(1) }
        #expect(state.jobs.numbers.dueReservation == JournalEntry.IDsReserved(jobs: JobID(1_000_004), leases: LeaseID(2_000_001)))
    }

    @Test("half a million leases are left when the next are reserved")
    func leases() {
        var state = FrontState()
        state.apply(.idsReserved(JournalEntry.IDsReserved(jobs: JobID(100), leases: LeaseID(500_010))))
        _ = state.jobs.number { $0.takeLeases(8) }
        #expect(state.jobs.numbers.dueReservation == nil)
        _ = state.jobs.number { $0.takeLeases(1) }
        #expect(state.jobs.numbers.dueReservation == JournalEntry.IDsReserved(jobs: JobID(1_000_001), leases: LeaseID(2_000_010)))
    }

    @Test("what an earlier life reserved is passed, and a smaller reservation takes nothing back")
    func passed() {
        var state = FrontState()
        state.apply(.idsReserved(JournalEntry.IDsReserved(jobs: JobID(50), leases: LeaseID(70))))
        state.apply(.idsReserved(JournalEntry.IDsReserved(jobs: JobID(40), leases: LeaseID(60))))
        state.jobs.number { $0.passReserved() }
        #expect(state.jobs.number { ($0.takeJobs(1), $0.takeLeases()) } == (JobID(50), LeaseID(70)))
        state.apply(.jobsAccepted(accepted(from: 60, count: 1, rankTime: 9)))
        state.apply(.jobsAccepted(accepted(from: 61, count: 1, rankTime: 8)))
        #expect(state.jobs.numbers.lastRankTime == 9)
    }

    private func accepted(from first: UInt64, count: Int, rankTime: Int64) -> JournalEntry.AcceptedJobs {
        JournalEntry.AcceptedJobs(
            first: JobID(first), acceptedAt: WallTime(milliseconds: 1), rankTime: rankTime, submitter: .front, loader: "slow",
            arguments: PackedBytes(repeating: [1], count: count))
    }
}
