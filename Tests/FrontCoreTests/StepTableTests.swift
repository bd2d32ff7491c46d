//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

/// What messages name, and what requests look at, is counted: each of these has so much of it that no other work of its event comes near.
@Suite("Steps of messages and requests that name much")
struct StepTableTests {
    private static let count: UInt64 = 300

    private static var numbers: [UInt64] { Array(1...count) }

    enum Report: CaseIterable {
        case progress, log, overdue, ended, endedWithLogs, unreadable, registration
    }

    @Test(
        "of a worker: each job that it names, though it holds none, or each that it holds where it names none",
        arguments: Report.allCases)
    func workers(_ report: Report) {
        var (front, worker) = FrontHarness.serving(prefetch: UInt32(Self.count))
        var ended = WorkerMessage.Ended(report: 1)
        (ended.jobs, ended.leases) = (Self.numbers, Self.numbers)
        ended.outcomes = Self.numbers.map { _ in .succeeded }
        ended.results = PackedBytes(repeating: [], count: Int(Self.count))
        let message: WorkerMessage
        switch report {
        case .progress:
            message = .progress(Self.numbers.map { .init(job: JobID($0), lease: LeaseID($0), progress: JobProgress(percent: 1)) })
        case .log: message = .log(Self.numbers.map { .init(job: JobID($0), lease: LeaseID($0), log: JobLog()) })
        case .overdue: message = .overdue(jobs: Self.numbers)
        case .ended, .registration: message = .ended(ended)
        case .endedWithLogs:
            ended.logs = (0..<UInt32(Self.count)).map { Indexed(index: $0, value: JobLog()) }
            message = .ended(ended)
        case .unreadable:
            _ = front.run(Int(Self.count), on: &worker)
            for _ in 0..<8 { worker.take(front.settle()) }
            // It has listed them, so none is sent again.
            _ = worker.renew(&front)
            message = .refusedGrants(.init(leases: [], code: .invalidData, reason: "what?"))
        }
        if report == .registration { worker.held = Self.numbers.map { (job: $0, lease: $0, work: nil) } }
        let found = front.steps { front in
            _ = report == .registration ? worker.registration(with: &front) : worker.send(message, to: &front)
        }
        #expect(found >= (report == .endedWithLogs ? 2 : 1) * Self.count)
    }

    enum Request: CaseIterable {
        case submit, outcomes, list, retry, pause, resume
    }

    @Test("of a client: each job, member or row that is named, and each that is looked at", arguments: Request.allCases)
    func clients(_ request: Request) {
        let members = GroupMembers(loaders: Set(Self.numbers.map { "loader-\($0)" }))
        var front = FrontHarness { $0.flow.groups = ["many": members] }
        front.open()
        if request == .list || request == .retry { _ = front.submit(Int(Self.count), loader: "idle") }
        if request == .resume { #expect(front.ask(.pause(.begin(.group("many"), reason: "", length: nil))) == .done(version: 0)) }
        let found = front.steps { front in
            switch request {
            case .submit: _ = front.submit(Int(Self.count), loader: "idle")
            case .outcomes: _ = front.ask(.job(.outcomes(Self.numbers.map { JobID($0) })))
            case .list: _ = front.ask(.job(.list(JobQuery(loader: "slow"))))
            case .retry: _ = front.ask(.job(.bulk(BulkRequest(.retry, JobQuery(state: .cancelled), isDry: true))))
            case .pause: _ = front.ask(.pause(.begin(.group("many"), reason: "", length: nil)))
            case .resume: _ = front.ask(.pause(.end(.group("many"))))
            }
        }
        // What is not known, or is passed over, is looked for and counted.
        let isTwice = request == .outcomes || request == .list || request == .retry
        #expect(found >= (isTwice ? 2 : 1) * Self.count)
    }

    enum Time: CaseIterable {
        case due, expired, late
    }

    @Test("of a turn: each job whose time has come, or is over", arguments: Time.allCases)
    func times(_ time: Time) {
        var front = FrontHarness()
        front.open()
        var options = JobOptions()
        switch time {
        case .due: options.start = .after(.seconds(1))
        case .expired: options = JobOptions(expiresAt: front.now.wall.advanced(by: .seconds(1)))
        case .late: options = JobOptions(totalTimeout: .seconds(1))
        }
        _ = front.submit(Int(Self.count), loader: "idle", JobOptionsColumn(options))
        front.settle()
        front.pass(milliseconds: 1_000)
        #expect(front.steps { $0.settle() } >= Self.count)
    }

    @Test("of an end: each session that waits for the outcome of that job, and did not submit it")
    func followers() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, reports: false, on: &worker)
        for _ in 0..<60 {
            front.open()
            _ = front.ask(.job(.outcomes([job])))
            front.settle()
        }
        let found = front.steps { _ = worker.endAll(in: &$0) }
        #expect(found >= 60)
    }
}
