//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryWire

/// A worker that keeps to nothing; it offers a loader of its own, so that it gets no work of others.
final class HostileWorker: Hostile {
    private let id: WorkerID
    private var epoch = Epoch.none
    private var registrationNumber = RegistrationNumber.none
    private var renewal: UInt64 = 0
    /// What it was granted: jobs of its own loader.
    private var granted: [(job: UInt64, lease: UInt64)] = []

    init(_ world: World) {
        id = WorkerID(world.chance.next() | 1)
        super.init(world, name: "hostile worker", .worker)
    }

    override func received(_ bytes: [UInt8]) {
        guard let envelope = try? WireCodec().decodeWorkerBound(bytes) else { return }
        epoch = envelope.epoch
        for message in envelope.messages {
            if case .registered(let registered) = message { registrationNumber = registered.registrationNumber }
            if case .grant(let grant) = message { granted += zip(grant.jobs, grant.leases).map { (job: $0, lease: $1) } }
        }
    }

    override func frame() -> [UInt8] {
        let messages = (0..<1 + world.chance.below(6)).map { _ in message() }
        return WireCodec().encode(
            WorkerEnvelope(
                worker: id, epoch: world.chance.chance(0.9) ? epoch : Epoch(number()),
                registrationNumber: world.chance.chance(0.9) ? registrationNumber : RegistrationNumber(number()), messages: messages))
    }

    private func message() -> WorkerMessage {
        switch world.chance.below(9) {
        case 0: .register(registration())
        case 1: .draining
        case 2:
            .progress([
                .init(job: JobID(number()), lease: LeaseID(number()), progress: JobProgress(percent: 255, completed: .max, unit: text()))
            ])
        case 3: .ended(ended())
        case 4: .cancelStep(LeaseID(number()), .stopping)
        case 5: .overdue(jobs: numbers())
        case 6: leaving()
        default: .renewal(nextRenewal(), leases: numbers())
        }
    }

    private func leaving() -> WorkerMessage {
        switch world.late.below(4) {
        case 0: .close()
        case 1:
            .refusedGrants(.init(leases: granted.suffix(world.late.below(4)).map(\.lease) + numbers(), code: .invalidData, reason: text()))
        default: .draining
        }
    }

    private func nextRenewal() -> RenewalNumber {
        renewal += 1
        return RenewalNumber(world.chance.chance(0.7) ? renewal : number())
    }

    private func numbers() -> [UInt64] { (0..<world.chance.below(40)).map { _ in number() } }

    private func registration() -> WorkerMessage.Registration {
        var registration = WorkerMessage.Registration(
            name: text(), processID: UInt32(truncatingIfNeeded: number()), slots: UInt32(truncatingIfNeeded: number()),
            prefetch: UInt32(truncatingIfNeeded: number()), loaders: [LoaderDeclaration(name: "hostile", isBulk: world.chance.chance(0.5))]
        )
        registration.secret = Array(repeating: 1, count: 32)
        if world.late.chance(0.5) {
            (registration.slots, registration.prefetch) = (UInt32(1 + world.late.below(4)), UInt32(world.late.below(9)))
        }
        registration.held = numbers().map { .init(job: JobID($0), lease: LeaseID(number())) }
        if world.late.chance(0.2) { registration.loaders += (0..<world.late.below(12)).map { LoaderDeclaration(name: "hostile-\($0)") } }
        if world.late.chance(0.2), let first = registration.held.first {
            registration.held = Array(repeating: first, count: world.late.below(1_000))
        }
        return registration
    }

    private func ended() -> WorkerMessage.Ended {
        if !granted.isEmpty, world.late.chance(0.7) { return endedOwn() }
        var ended = WorkerMessage.Ended(report: number())
        ended.jobs = numbers()
        // One job twice in one report.
        if let first = ended.jobs.first { ended.jobs.append(first) }
        ended.leases = ended.jobs.map { _ in number() }
        ended.outcomes = ended.jobs.map { _ in outcome(world.chance.next()) }
        ended.results = PackedBytes(repeating: [0], count: ended.jobs.count)
        return ended
    }

    private func outcome(_ number: UInt64) -> Outcome { Outcome(rawValue: UInt8(number % 4)) ?? .failed }

    /// Outcomes of what it was granted, with failures and results of feeds that may belong to none of them.
    private func endedOwn() -> WorkerMessage.Ended {
        var ended = WorkerMessage.Ended(report: world.late.next() >> 1)
        for own in granted.suffix(1 + world.late.below(4)) {
            ended.jobs.append(own.job)
            ended.leases.append(own.lease)
            ended.outcomes.append(outcome(UInt64(world.late.below(4))))
            ended.results.append([UInt8](repeating: 9, count: world.late.below(200)))
        }
        let failure = Failure(id: FailureID(number()), code: .httpStatus, text: text(), attempts: .max)
        ended.failures = (0..<world.late.below(3)).map { _ in Indexed(index: UInt32(world.late.below(5)), value: failure) }
        var result = FeedResult()
        (result.itemID, result.detail, result.source) = (text(), [1], ContentSource(rawValue: text()))
        ended.feedResults = (0..<world.late.below(2)).map { _ in Indexed(index: UInt32(world.late.below(5)), value: result) }
        return ended
    }
}
