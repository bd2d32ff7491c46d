//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import GantryWorker

@Suite("The grace of a draining worker")
struct GraceTests {
    private static let grace = Duration.seconds(10)

    /// Renewals are answered until then.
    private func renew(_ bench: inout Bench, from first: Int64 = 1, until milliseconds: Int64) -> [WorkerAction] {
        var actions: [WorkerAction] = []
        for second in first...max(first, milliseconds / 1_000) where second * 1_000 <= milliseconds {
            actions += bench.on(.tick, at: second * 1_000)
            actions += bench.receive(.renewed(RenewalNumber(UInt64(second) + 1), cancels: []), at: second * 1_000)
            actions += bench.on(.turnEnds, at: second * 1_000)
        }
        return actions
    }

    private func cancels(_ actions: [WorkerAction]) -> [CancelReason] {
        actions.compactMap { if case .cancelWork(_, let reason) = $0 { reason } else { nil } }
    }

    private func steps(_ actions: [WorkerAction]) -> [WorkerMessage.CancelStep] {
        actions.compactMap { if case .send(.cancelStep(_, let step)) = $0 { step } else { nil } }
    }

    private func begin(_ cause: DrainCause, _ bench: inout Bench, at milliseconds: Int64) -> [WorkerAction] {
        cause == .stop ? bench.on(.reported(.drain), at: milliseconds) : bench.receive(.drain, at: milliseconds)
    }

    /// Work that begins at 0 ms at a worker that drains from 100 ms on, and when and why it is stopped.
    struct Work: Sendable {
        let cause: DrainCause
        let loader: String
        var timeout: UInt64?
        var grace = GraceTests.grace
        let end: Int64
        var reason = CancelReason.workerStops
    }

    private static let works = [
        Work(cause: .stop, loader: "sleep", end: 10_100),
        Work(cause: .stop, loader: "post", end: 10_100),
        Work(cause: .stop, loader: "post", timeout: 40_000, end: 10_100),
        Work(cause: .stop, loader: "sleep", timeout: 5_000, end: 5_000, reason: .timedOut),
        Work(cause: .request, loader: "sleep", end: 10_100),
        Work(cause: .request, loader: "sleep", timeout: 40_000, end: 10_100),
        Work(cause: .request, loader: "post", end: 60_100),
        Work(cause: .request, loader: "post", grace: .seconds(70), end: 70_100),
        Work(cause: .request, loader: "post", timeout: 30_000, end: 30_000, reason: .timedOut),
        Work(cause: .request, loader: "post", timeout: 90_000, end: 90_000, reason: .timedOut),
    ]

    @Test(
        "work goes on until its grace is over, to the millisecond: at a signal all of it alike; on request what must not run twice has its time-out, or 60 s",
        arguments: works)
    func ends(_ work: Work) throws {
        var bench = Bench.registered { $0.grace = work.grace }
        _ = bench.take(Bench.grant(work.loader, 5, timeout: work.timeout), at: 0)
        _ = bench.on(.turnEnds, at: 0)
        #expect(begin(work.cause, &bench, at: 100) == [.send(.draining)])
        let before = renew(&bench, until: work.end - 1) + bench.on(.tick, at: work.end - 1)
        #expect(cancels(before) == [] && bench.machine.nextDeadline == Bench.time(work.end))
        #expect(cancels(bench.on(.tick, at: work.end)) == [work.reason])
        #expect(cancels(bench.on(.tick, at: work.end + 1)) == [])
        _ = bench.on(.reported(.ended(WorkToken(1), .cancelled)), at: work.end + 2)
        let sent = bench.on(.turnEnds, at: work.end + 2)
        let ended = try #require(sent.compactMap { if case .send(.ended(let ended)) = $0 { ended } else { nil } }.first)
        // Whether a job that nobody has cancelled runs again, the front knows.
        #expect(ended.outcomes == [work.reason == .timedOut ? .failed : .cancelled])
        _ = bench.receive(.acknowledged(reports: [ended.report]), at: work.end + 3)
        #expect(bench.on(.turnEnds, at: work.end + 3) == [.send(.close(takenBelow: LeaseID(6))), .finish])
    }

    @Test("work that ends in its grace is reported as it ended, and a success is one also after it")
    func endsByItself() {
        for milliseconds in [9_000, 10_500] as [Int64] {
            var bench = Bench.registered { $0.grace = Self.grace }
            _ = bench.take(Bench.grant("post", 5), at: 0)
            _ = begin(.stop, &bench, at: 0)
            _ = renew(&bench, until: milliseconds)
            _ = bench.on(.reported(.ended(WorkToken(1), .succeeded([], nil))), at: milliseconds)
            #expect(bench.on(.turnEnds, at: milliseconds).contains(.send(Bench.ended(1, .succeeded, 5))))
        }
    }

    @Test("a signal after a request does not let work wait that must not run twice, and nothing prolongs a grace that has begun")
    func both() {
        var bench = Bench.registered { $0.grace = Self.grace }
        _ = bench.take(Bench.grant("sleep", 5), at: 0)
        _ = bench.take(Bench.grant("post", 6), at: 0)
        _ = begin(.request, &bench, at: 0)
        _ = renew(&bench, until: 9_000)
        #expect(begin(.stop, &bench, at: 9_500) == [])
        #expect(begin(.request, &bench, at: 9_600) == [] && begin(.stop, &bench, at: 9_700) == [])
        #expect(bench.machine.drainOutlook?.cause == .stop)
        #expect(bench.on(.tick, at: 10_000).contains(.cancelWork(WorkToken(1), .workerStops)))
        _ = bench.receive(.renewed(RenewalNumber(11), cancels: []), at: 10_000)
        #expect(cancels(renew(&bench, from: 11, until: 19_000) + bench.on(.tick, at: 19_499)) == [])
        #expect(bench.on(.tick, at: 19_500).contains(.cancelWork(WorkToken(2), .workerStops)))
        // A second signal stops what is left at once.
        var stopped = Bench.registered()
        _ = stopped.take(Bench.grant("post", 5), at: 0)
        _ = begin(.stop, &stopped, at: 0)
        #expect(stopped.on(.reported(.stop), at: 1) == [.cancelWork(WorkToken(1), .workerStops)])
    }

    @Test("bulk jobs that were taken ahead run until the grace is over, then those that have not begun go back", arguments: [true, false])
    func line(isStop: Bool) {
        var bench = Bench.registered { $0.grace = .seconds(1) }
        _ = bench.take(Bench.grant("noop", 6, 7), at: 0)
        _ = bench.on(.turnEnds, at: 0)
        _ = begin(isStop ? .stop : .request, &bench, at: 0)
        #expect(bench.on(.tick, at: 999).contains { if case .runBulk = $0 { true } else { false } })
        #expect(!bench.on(.tick, at: 1_000).contains { if case .runBulk = $0 { true } else { false } })
        #expect(bench.on(.turnEnds, at: 1_000) == [.send(Bench.ended(1, .returned, 6, 7)), .disarmKillTimer])
    }

    @Test("without a grace work is stopped in the turn in which the drain begins")
    func none() {
        var bench = Bench.registered { $0.grace = .zero }
        _ = bench.take(Bench.grant("sleep", 5), at: 0)
        _ = begin(.stop, &bench, at: 5)
        #expect(bench.machine.nextDeadline == Bench.time(5))
        #expect(bench.on(.tick, at: 5) == [.cancelWork(WorkToken(1), .workerStops)])
    }

    @Test("a front that is not there changes nothing of it: the grace goes on, and its end is reported to the next one")
    func withoutFront() {
        var bench = Bench.registered { $0.grace = .seconds(2) }
        _ = bench.take(Bench.grant("sleep", 5), at: 0)
        _ = bench.receive(.reregister, at: 10)
        #expect(begin(.stop, &bench, at: 20) == [])
        #expect(cancels(bench.on(.tick, at: 2_019)) == [])
        #expect(cancels(bench.on(.tick, at: 2_020)) == [.workerStops])
        _ = bench.on(.reported(.ended(WorkToken(1), .cancelled)), at: 2_030)
        let back = bench.receive(.registered(Bench.registration(2, [Bench.decision(5, .keep, 25)])), at: 2_040)
        #expect(back.first == .send(Bench.ended(2, .cancelled, 25)))
    }

    @Test("work that does not stop then gets the steps of a cancelled job, of which the front hears nothing until it cancels it")
    func doesNotStop() {
        for hasProcess in [true, false] {
            var bench = Bench.registered { $0.grace = .seconds(1) }
            _ = bench.take(Bench.grant("sleep", 5), at: 0)
            _ = begin(.stop, &bench, at: 0)
            #expect(cancels(renew(&bench, until: 10_000)) == [.workerStops])
            #expect(!bench.on(.tick, at: 10_999).contains(.killWork(WorkToken(1))))
            #expect(bench.on(.tick, at: 11_000).contains(.killWork(WorkToken(1))))
            #expect(steps(bench.on(.workKilled(WorkToken(1), hasProcess), at: 11_000)) == [])
            let isEnding = bench.machine.endsBecauseOf == JobID(105)
            #expect(isEnding == !hasProcess)
            #expect(bench.on(.turnEnds, at: 11_000).contains(.armKillTimer(at: Bench.time(11_200))) == isEnding)
            _ = bench.receive(.reregister, at: 11_001)
            _ = bench.on(.tick, at: 11_001)
            let back = bench.receive(.registered(Bench.registration(2, [Bench.decision(5, .keep, 25)])), at: 11_002)
            #expect(steps(back) == [])
            let cancelled = steps(bench.receive(.cancel(leases: [25]), at: 11_003))
            #expect(cancelled == [.delivered, .stopping, isEnding ? .ending : .killed])
        }
    }

    @Test("no process ends under work that still has its time and must not run twice, however long other work is deaf to its stop")
    func awaited() {
        var bench = Bench.registered(slots: 2) { $0.grace = .seconds(1) }
        _ = bench.take(Bench.grant("sleep", 5), at: 0)
        _ = bench.take(Bench.grant("post", 6, timeout: 60_000), at: 0)
        _ = begin(.request, &bench, at: 0)
        let meanwhile = renew(&bench, until: 30_000)
        #expect(cancels(meanwhile) == [.workerStops] && !meanwhile.contains(.killWork(WorkToken(1))))
        _ = bench.on(.reported(.ended(WorkToken(2), .succeeded([], nil))), at: 30_500)
        let after = renew(&bench, from: 31, until: 40_999)
        #expect(!after.contains(.killWork(WorkToken(1))))
        #expect(renew(&bench, from: 41, until: 41_000).contains(.killWork(WorkToken(1))))
    }

    @Test("work that a second signal stops and that does not stop gets the steps, too")
    func stopped() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 0)
        #expect(cancels(bench.on(.reported(.stop), at: 0)) == [.workerStops])
        #expect(!renew(&bench, until: 9_000).contains(.killWork(WorkToken(1))))
        #expect(bench.on(.tick, at: 10_000).contains(.killWork(WorkToken(1))))
    }

    @Test("work because of which the worker ends takes no time from the jobs beside it")
    func stuckWork() {
        var ends = GraceEnds()
        #expect(!ends.begin(.stuckWork, at: Bench.time(0), grace: .zero, unrepeatable: .zero) && ends == GraceEnds())
    }

    @Test("what a drain comes to is known as it begins: how many jobs go back, and of how many the outcome is unknown")
    func outlook() {
        var bench = Bench.registered(slots: 3) { $0.grace = Self.grace }
        _ = bench.take(Bench.grant("sleep", 5, 6), at: 0)
        _ = bench.take(Bench.grant("post", 7), at: 0)
        _ = bench.take(Bench.grant("noop", 8), at: 0)
        #expect(bench.machine.drainOutlook == nil)
        _ = begin(.request, &bench, at: 1)
        #expect(
            bench.machine.drainOutlook?.text
                == "draining, as somebody asked the front: running jobs that may run again (2 now) go back to the queue after 10 s, and of the "
                + "others (1 now) the outcome is unknown after their attempts' time-outs, or 60 s where they have none; bulk jobs that have not "
                + "begun (1 now) go back with the first")
        _ = bench.on(.reported(.ended(WorkToken(1), .succeeded([], nil))), at: 2)
        _ = bench.on(.bulkEnded(WorkerMessage.Ended(report: 0), rows: 1), at: 2)
        _ = begin(.stop, &bench, at: 3)
        #expect(
            bench.machine.drainOutlook?.text
                == "draining: running jobs that may run again (1 now) go back to the queue at the end of the grace, and of the others (1 now) the "
                + "outcome is unknown then")
        // What is none now is left out.
        func text(_ repeatable: Int, _ unrepeatable: Int, _ ahead: Int = 0) -> String {
            DrainOutlook(
                cause: .stop, grace: .seconds(10), unrepeatableTime: .seconds(60), repeatable: repeatable, unrepeatable: unrepeatable,
                ahead: ahead
            ).text
        }
        #expect(text(2, 0) == "draining: running jobs that may run again (2 now) go back to the queue at the end of the grace")
        let unknown = "draining: of running jobs that may not run again (1 now) the outcome is unknown at the end of the grace"
        #expect(text(0, 1) == unknown)
        #expect(text(0, 1, 3) == unknown + "; bulk jobs that have not begun (3 now) go back at the end of the grace")
        var idle = Bench.registered()
        _ = begin(.stop, &idle, at: 1)
        #expect(idle.machine.drainOutlook?.text == "draining: no job runs")
    }
}
