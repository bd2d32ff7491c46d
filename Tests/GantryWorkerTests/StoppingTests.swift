//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import GantryWorker

@Suite("Work that does not stop")
struct StoppingTests {
    /// A worker that runs jobs 105 and, where asked, 106, and was asked to stop the first after a millisecond.
    private func cancelled(beside: Bool = false, stopTime: Duration? = nil) -> Bench {
        var bench = Bench.registered { settings in
            if let stopTime { settings.stopTimes = settings.loaders.map { _ in stopTime } }
        }
        _ = bench.take(beside ? Bench.grant("sleep", 5, 6) : Bench.grant("sleep", 5), at: 0)
        _ = bench.receive(.cancel(leases: [5]), at: 1)
        return bench
    }

    /// Renewals are answered until then.
    private func renew(_ bench: inout Bench, until milliseconds: Int64, from first: Int64 = 1) {
        for second in first...max(first, milliseconds / 1_000) where second * 1_000 <= milliseconds {
            _ = bench.on(.tick, at: second * 1_000)
            _ = bench.receive(.renewed(RenewalNumber(UInt64(second) + 1), cancels: []), at: second * 1_000)
            _ = bench.on(.turnEnds, at: second * 1_000)
        }
    }

    private func steps(_ actions: [WorkerAction]) -> [WorkerMessage.CancelStep] {
        actions.compactMap { if case .send(.cancelStep(_, let step)) = $0 { step } else { nil } }
    }

    private func killTime(_ actions: [WorkerAction]) -> MonotonicTime? {
        actions.reversed().compactMap { if case .armKillTimer(let at) = $0 { at } else { nil } }.first
    }

    @Test("work has its loader's time to stop, ten seconds unless it says another; then its process is killed, and it has as much again")
    func process() {
        for (stopTime, length) in [(nil, 10_000), (.seconds(2), 2_000)] as [(Duration?, Int64)] {
            var bench = cancelled(stopTime: stopTime)
            renew(&bench, until: length)
            #expect(bench.machine.nextDeadline <= Bench.time(length + 1))
            #expect(!bench.on(.tick, at: length).contains(.killWork(WorkToken(1))))
            #expect(bench.on(.tick, at: length + 1).contains(.killWork(WorkToken(1))))
            #expect(!bench.on(.tick, at: length + 2).contains(.killWork(WorkToken(1))))
            #expect(steps(bench.on(.workKilled(WorkToken(1), true), at: length + 2)) == [.killed])
            #expect(bench.machine.mode == .serving && bench.machine.endsBecauseOf == nil)
            renew(&bench, until: 2 * length + 1, from: length / 1_000 + 1)
            #expect(steps(bench.on(.tick, at: 2 * length + 2)) == [.ending] && bench.machine.endsBecauseOf == JobID(105))
        }
    }

    @Test("work without a process of its own ends the worker, which the kernel sees to: at once where nothing runs beside it")
    func alone() {
        var bench = cancelled()
        renew(&bench, until: 10_000)
        #expect(bench.on(.tick, at: 10_001).contains(.killWork(WorkToken(1))))
        let actions = bench.on(.workKilled(WorkToken(1), false), at: 10_001)
        #expect(steps(actions) == [.ending] && actions.contains(.send(.draining)))
        #expect(killTime(bench.on(.turnEnds, at: 10_001)) == Bench.time(10_201))
    }

    @Test("what runs beside it has its own time, a minute at most, and the worker ends when that is done and acknowledged")
    func beside() {
        var bench = cancelled(beside: true)
        renew(&bench, until: 10_000)
        _ = bench.on(.tick, at: 10_001)
        _ = bench.on(.workKilled(WorkToken(1), false), at: 10_001)
        _ = bench.on(.turnEnds, at: 10_001)
        #expect(bench.machine.endsAt == Bench.time(70_001) && bench.machine.mode == .draining)
        #expect(!bench.take(Bench.grant("sleep", 9, renewal: 11), at: 10_002).contains { if case .start = $0 { true } else { false } })
        _ = bench.on(.turnEnds, at: 10_002)
        renew(&bench, until: 20_000, from: 11)
        _ = bench.on(.reported(.ended(WorkToken(2), .succeeded([], nil))), at: 20_100)
        _ = bench.on(.turnEnds, at: 20_100)
        #expect(bench.machine.endsAt == Bench.time(70_001))
        _ = bench.receive(.acknowledged(reports: [1, 2]), at: 20_200)
        #expect(killTime(bench.on(.turnEnds, at: 20_200)) == Bench.time(20_400))
    }

    @Test("what runs beside it and has a time of its own is not waited for longer")
    func besideWithTime() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 0)
        _ = bench.take(Bench.grant("sleep", 6, timeout: 30_000), at: 0)
        _ = bench.receive(.cancel(leases: [5]), at: 1)
        renew(&bench, until: 10_000)
        _ = bench.on(.tick, at: 10_001)
        _ = bench.on(.workKilled(WorkToken(1), false), at: 10_001)
        #expect(bench.machine.endsAt == Bench.time(30_000))
    }

    @Test("an attempt whose time is over says so, climbs the same steps, and says them again after another registration")
    func timedOut() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5, timeout: 1_000), at: 0)
        #expect(steps(bench.on(.tick, at: 1_000)) == [.timedOut])
        renew(&bench, until: 10_000, from: 2)
        #expect(bench.on(.tick, at: 11_000).contains(.killWork(WorkToken(1))))
        #expect(steps(bench.on(.workKilled(WorkToken(1), true), at: 11_000)) == [.killed])
        _ = bench.receive(.reregister, at: 11_100)
        _ = bench.on(.tick, at: 11_101)
        let back = bench.receive(.registered(Bench.registration(2, [Bench.decision(5, .keep, 25)])), at: 11_102)
        #expect(steps(back) == [.timedOut, .killed])
        // Somebody cancels it all the same.
        #expect(steps(bench.receive(.cancel(leases: [25]), at: 11_103)) == [.delivered, .stopping, .timedOut, .killed])
    }

    @Test("after the job's total time nothing is tried again, and of a loader that is not asked twice nobody knows what it has done")
    func totalTime() throws {
        for (loader, code) in [("sleep", FailureCode.timedOut), ("post", .outcomeUnknown)] {
            var bench = Bench.registered()
            var grant = Bench.grant(loader, 5, timeout: 5_000)
            grant.deadlines = [2_000]
            _ = bench.take(grant, at: 0)
            #expect(bench.machine.nextDeadline <= Bench.time(2_000))
            #expect(steps(bench.on(.tick, at: 2_000)) == [.timedOut])
            let actions = bench.on(.reported(.ended(WorkToken(1), .cancelled)), at: 2_001) + bench.on(.turnEnds, at: 2_001)
            let ended = actions.compactMap { if case .send(.ended(let ended)) = $0 { ended } else { nil } }
            let failure = try #require(ended.first?.failures.first?.value)
            #expect(
                failure.code == code && !failure.retryable && failure.text.hasPrefix("the job was not done within its total time-out"),
                "\(failure.text)")
        }
        var bench = Bench.registered()
        var grant = Bench.grant("sleep", 5, 6)
        grant.deadlines = [1]
        #expect(bench.receive(.grant(grant), at: 1).contains(.ignored(.malformed)))
    }

    @Test("a snoozed run is reported with its time, and a cancel or a time that is over wins")
    func snooze() {
        func outcome(_ end: WorkEnd = .snoozed(.milliseconds(1_500)), _ change: (inout Bench) -> Void = { _ in }) -> WorkerMessage.Ended? {
            var bench = Bench.registered()
            _ = bench.take(Bench.grant("sleep", 5, timeout: 1_000), at: 0)
            change(&bench)
            let actions = bench.on(.reported(.ended(WorkToken(1), end)), at: 1_001) + bench.on(.turnEnds, at: 1_001)
            return actions.compactMap { if case .send(.ended(let ended)) = $0 { ended } else { nil } }.first
        }
        #expect(outcome()?.outcomes == [.snoozed] && outcome()?.snoozes == [1_500])
        #expect(outcome(.snoozed(.zero))?.snoozes == [1])
        #expect(outcome { _ = $0.receive(.cancel(leases: [5]), at: 1) }?.outcomes == [.cancelled])
        let late = outcome { _ = $0.on(.tick, at: 1_000) }
        #expect(late?.outcomes == [.failed] && late?.snoozes == [] && late?.failures.first?.value.code == .timedOut)
        #expect(JobSnooze(for: .seconds(5)).end(isFeedJob: false) == .snoozed(.seconds(5)))
        let wrong: [(Duration, Bool)] = [(.seconds(-1), false), (JobSnooze.longest + .seconds(1), false), (.seconds(1), true)]
        for (length, isFeedJob) in wrong {
            guard case .failed(let failure) = JobSnooze(for: length).end(isFeedJob: isFeedJob) else {
                Issue.record("\(length) is taken")
                continue
            }
            #expect(failure.code == .invalidData && !failure.retryable)
        }
        #expect(LoaderFailure.discard("the file is gone").retryable == false)
    }

    @Test("rows of snoozed jobs keep their times among others when reports are gathered anew for another registration")
    func rows() {
        var retained = RetainedReports(reportByteCount: 1 << 20)
        retained.gather(job: 1, lease: 11, outcome: .snoozed, snooze: .milliseconds(100))
        retained.gather(job: 2, lease: 12, outcome: .succeeded)
        retained.gather(job: 3, lease: 13, outcome: .snoozed, snooze: .milliseconds(300))
        _ = retained.close()
        retained.reregister { lease in lease == 11 ? nil : (lease + 100, false) }
        let reports = retained.close()
        #expect(reports.first?.jobs == [2, 3] && reports.first?.snoozes == [300])
    }
}
