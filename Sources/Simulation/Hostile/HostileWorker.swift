//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Wire

/// A worker that keeps to nothing; it offers a loader of its own, so that it gets no work of others.
final class HostileWorker: Hostile {
    private let id: WorkerID
    private var epoch = Epoch.none
    private var attachment = AttachmentNumber.none
    private var renewal: UInt64 = 0

    init(_ world: World) {
        id = WorkerID(world.chance.next() | 1)
        super.init(world, name: "hostile worker", .worker)
    }

    override func heard(_ bytes: [UInt8]) {
        guard let envelope = try? WireCodec().decodeWorkerBound(bytes) else { return }
        epoch = envelope.epoch
        for case .registered(let registered) in envelope.messages { attachment = registered.attachment }
    }

    override func frame() -> [UInt8] {
        let messages = (0..<1 + world.chance.below(6)).map { _ in message() }
        return WireCodec().encode(
            WorkerEnvelope(
                worker: id, epoch: world.chance.chance(0.9) ? epoch : Epoch(number()),
                attachment: world.chance.chance(0.9) ? attachment : AttachmentNumber(number()), messages: messages))
    }

    private func message() -> WorkerMessage {
        switch world.chance.below(9) {
        case 0: .register(registration())
        case 1: .started(leases: numbers())
        case 2:
            .progress([
                .init(job: JobID(number()), lease: LeaseID(number()), progress: Progress(percent: 255, completed: .max, unit: text()))
            ])
        case 3: .ended(ended())
        case 4: .cancelStep(LeaseID(number()), .stopping)
        case 5: .overdue(jobs: numbers())
        case 6: .draining
        default: .renewal(nextRenewal(), leases: numbers())
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
            prefetch: UInt32(truncatingIfNeeded: number()), loaders: [LoaderDeclaration(name: "hostile", isShort: world.chance.chance(0.5))]
        )
        registration.secret = Array(repeating: 1, count: 32)
        registration.held = numbers().map { .init(job: JobID($0), lease: LeaseID(number())) }
        if world.late.chance(0.2) { registration.loaders += (0..<world.late.below(12)).map { LoaderDeclaration(name: "hostile-\($0)") } }
        if world.late.chance(0.2), let first = registration.held.first {
            registration.held = Array(repeating: first, count: world.late.below(1_000))
        }
        return registration
    }

    private func ended() -> WorkerMessage.Ended {
        var ended = WorkerMessage.Ended(report: number())
        ended.jobs = numbers()
        // One job twice in one report.
        if let first = ended.jobs.first { ended.jobs.append(first) }
        ended.leases = ended.jobs.map { _ in number() }
        ended.outcomes = ended.jobs.map { _ in UInt8(truncatingIfNeeded: world.chance.next()) }
        ended.results = PackedBytes(repeating: [0], count: ended.jobs.count)
        return ended
    }
}
