//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

@testable import GantryWorker

/// A machine on a bench: events go in at chosen milliseconds, the actions that come out are the return values.
struct Bench {
    static let front = FrontID(77)
    static let loaders = [
        LoaderDeclaration(name: "noop", isBulk: true), LoaderDeclaration(name: "sleep"), LoaderDeclaration(name: "post", repeatable: .no),
    ]

    var machine: WorkerMachine
    var epoch = Epoch(10)

    init(slots: Int = 2, prefetch: Int = 8, adjust: (inout WorkerSettings) -> Void = { _ in }) {
        var settings = WorkerSettings(
            worker: WorkerID(1), name: "w", processID: 9, slots: slots, prefetch: prefetch, loaders: Self.loaders)
        adjust(&settings)
        machine = WorkerMachine(settings)
    }

    /// A worker whose registration and first renewal left at 0 ms and were answered at once.
    static func registered(slots: Int = 2, prefetch: Int = 8, adjust: (inout WorkerSettings) -> Void = { _ in }) -> Bench {
        var bench = Bench(slots: slots, prefetch: prefetch, adjust: adjust)
        _ = bench.on(.tick, at: 0)
        _ = bench.receive(.registered(registration(1)), at: 0)
        _ = bench.receive(.renewed(RenewalNumber(1), cancels: []), at: 0)
        _ = bench.on(.turnEnds, at: 0)
        return bench
    }

    mutating func on(_ event: WorkerEvent, at milliseconds: Int64) -> [WorkerAction] {
        var actions: [WorkerAction] = []
        machine.handle(event, at: Self.time(milliseconds), into: &actions)
        return actions
    }

    mutating func receive(_ messages: WorkerBoundMessage..., at milliseconds: Int64) -> [WorkerAction] {
        on(.received(WorkerBoundEnvelope(front: Self.front, epoch: epoch, messages: messages)), at: milliseconds)
    }

    /// Hears a grant and goes through the arming of the kernel timer, as the loop does.
    mutating func take(_ grant: WorkerBoundMessage.Grant, at milliseconds: Int64) -> [WorkerAction] {
        receive(.grant(grant), at: milliseconds) + on(.killTimerArmed, at: milliseconds)
    }

    static func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: 0).advanced(by: .milliseconds(milliseconds)) }

    static func registration(
        _ registrationNumber: UInt64, _ decisions: [WorkerBoundMessage.LeaseDecision] = []
    ) -> WorkerBoundMessage.Registered {
        WorkerBoundMessage.Registered(
            registrationNumber: RegistrationNumber(registrationNumber), lease: .seconds(5), renewal: .seconds(1), decisions: decisions)
    }

    static func decision(_ lease: UInt64, _ decision: WorkerBoundMessage.LeaseDecision.Decision, _ renewed: UInt64 = 0)
        -> WorkerBoundMessage.LeaseDecision
    {
        WorkerBoundMessage.LeaseDecision(lease: LeaseID(lease), decision: decision, renewed: LeaseID(renewed))
    }

    /// Grants job 100 + lease for each lease, with the lease's decimal text as argument.
    static func grant(
        _ loader: String, _ leases: UInt64..., registrationNumber: UInt64 = 1, renewal: UInt64 = 1, timeout: UInt64? = nil
    ) -> WorkerBoundMessage.Grant {
        var grant = WorkerBoundMessage.Grant(
            registrationNumber: RegistrationNumber(registrationNumber), renewal: RenewalNumber(renewal), wall: WallTime(milliseconds: 5))
        grant.loaders = [loader]
        for lease in leases {
            grant.jobs.append(100 + lease)
            grant.leases.append(lease)
            grant.loaderIndexes.append(0)
            grant.attempts.append(1)
            grant.arguments.append(String(lease).utf8)
            if let timeout { grant.attemptTimeouts.append(timeout) }
        }
        return grant
    }

    static func start(_ token: UInt64, lease: UInt64, loader: Int = 1) -> WorkerAction {
        .start(
            WorkStart(
                token: WorkToken(token), job: JobID(100 + lease), attempt: 1, loader: loader, wall: WallTime(milliseconds: 5),
                argument: Array(String(lease).utf8), feedWork: nil))
    }

    /// One report of equal outcomes; lease 2x is the renewed lease of x.
    static func ended(_ report: UInt64, _ outcome: Outcome, _ leases: UInt64..., result: [UInt8] = []) -> WorkerMessage {
        var ended = WorkerMessage.Ended(report: report)
        for lease in leases {
            ended.jobs.append(100 + lease % 20)
            ended.leases.append(lease)
            ended.outcomes.append(outcome)
            ended.results.append(result)
        }
        return .ended(ended)
    }

    static func registerAction(_ held: [(job: UInt64, lease: UInt64)] = [], slots: UInt32 = 2, prefetch: UInt32 = 8) -> WorkerAction {
        var registration = WorkerMessage.Registration(name: "w", processID: 9, slots: slots, prefetch: prefetch, loaders: loaders)
        registration.held = held.map { WorkerMessage.HeldLease(job: JobID($0.job), lease: LeaseID($0.lease)) }
        return .register(registration)
    }

    /// What the short rows of `work` that have not run come to when each result is its argument.
    static func echo(_ work: BulkWork) -> WorkerMessage.Ended {
        var ended = WorkerMessage.Ended(report: 0)
        ended.jobs = Array(work.jobs[work.nextRow...])
        ended.leases = Array(work.leases[work.nextRow...])
        ended.outcomes = ended.jobs.map { _ in .succeeded }
        ended.results.append(contentsOf: work.arguments[work.next...])
        return ended
    }
}
