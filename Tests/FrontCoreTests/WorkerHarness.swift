//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryPackedColumns

/// A worker as the front sees it, moved by hand.
struct WorkerHarness {
    let id: WorkerID
    /// Its connection.
    var peer: PeerID
    /// What proves the id.
    var secret: [UInt8]
    /// The process that it names, and the one that its connection was seen to belong to.
    var process: ProcessIdentity?
    var seen: ProcessIdentity?
    var registrationNumber = RegistrationNumber.none
    var epoch = Epoch.none
    var renewal: UInt64 = 0
    var report: UInt64 = 0
    /// The first thing that it said.
    var firstRegistration = WorkerEnvelope(worker: .none, messages: [])
    /// Granted jobs that were not reported yet, with their leases and feed work.
    var held: [(job: UInt64, lease: UInt64, work: FeedWork?)] = []
    var decisions: [WorkerBoundMessage.LeaseDecision] = []

    init(_ number: UInt64) {
        id = WorkerID(number)
        peer = PeerID(1_000 + number)
        secret = Array(repeating: UInt8(truncatingIfNeeded: number), count: 32)
    }

    mutating func register(
        with front: inout FrontHarness, slots: UInt32 = 2, prefetch: UInt32 = 4, loaders: [LoaderDeclaration] = Self.loaders
    ) {
        take(registration(with: &front, slots: slots, prefetch: prefetch, loaders: loaders))
    }

    static let loaders = [
        LoaderDeclaration(name: "noop", isBulk: true), LoaderDeclaration(name: "slow"), LoaderDeclaration(name: "once", repeatable: .no),
        LoaderDeclaration(name: "http"), LoaderDeclaration(name: "list"),
    ]

    /// Registers; what the front does about it is not taken.
    mutating func registration(
        with front: inout FrontHarness, slots: UInt32 = 2, prefetch: UInt32 = 4, loaders: [LoaderDeclaration] = Self.loaders
    ) -> [FrontAction] {
        var registration = WorkerMessage.Registration(name: "w\(id)", processID: 1, slots: slots, prefetch: prefetch, loaders: loaders)
        registration.secret = secret
        registration.process = process
        registration.held = held.map { .init(job: JobID($0.job), lease: LeaseID($0.lease)) }
        let envelope = WorkerEnvelope(worker: id, epoch: epoch, registrationNumber: registrationNumber, messages: [.register(registration)])
        if registrationNumber == .none { firstRegistration = envelope }
        epoch = front.settings.epoch
        return front.handle(.workerSent(peer, Principal(process: seen, rights: .work), envelope))
    }

    /// Takes what is addressed to this worker.
    mutating func take(_ actions: [FrontAction]) {
        for action in actions {
            guard let message = message(in: action) else { continue }
            switch message {
            case .registered(let registered):
                registrationNumber = registered.registrationNumber
                decisions = registered.decisions
                for decision in registered.decisions {
                    guard let index = held.firstIndex(where: { $0.lease == decision.lease.rawValue }) else { continue }
                    if decision.decision == .drop { held.remove(at: index) } else { held[index].lease = decision.renewed.rawValue }
                }
            case .grant(let grant):
                for (row, job) in grant.jobs.enumerated() {
                    held.append((job, grant.leases[row], grant.feedWork.first { $0.index == UInt32(row) }?.value))
                }
            case .reregister, .renewed, .cancel, .acknowledged, .drain, .refused, .unknown, .unreadable: break
            }
        }
    }

    /// What an action tells this worker.
    func message(in action: FrontAction) -> WorkerBoundMessage? {
        switch action {
        case .sendToWorker(peer, let message), .sendToWorkerApart(peer, let message): message
        default: nil
        }
    }

    mutating func send(_ message: WorkerMessage, to front: inout FrontHarness) -> [FrontAction] {
        let envelope = WorkerEnvelope(worker: id, epoch: epoch, registrationNumber: registrationNumber, messages: [message])
        return front.handle(.workerSent(peer, Principal(process: seen, rights: .work), envelope))
    }

    mutating func renew(_ front: inout FrontHarness) -> [FrontAction] {
        renewal += 1
        return send(.renewal(RenewalNumber(renewal), leases: held.map(\.lease)), to: &front)
    }

    /// Ends all held jobs in one report, each with a result of so many bytes.
    mutating func endAll(resultByteCount: Int = 1, in front: inout FrontHarness) -> [FrontAction] {
        report += 1
        var ended = WorkerMessage.Ended(report: report)
        ended.jobs = held.map(\.job)
        ended.leases = held.map(\.lease)
        ended.outcomes = held.map { _ in .succeeded }
        ended.results = PackedBytes(repeating: Array(repeating: 5, count: resultByteCount), count: held.count)
        held.removeAll()
        return send(.ended(ended), to: &front) + front.settle()
    }

    /// Ends a held job.
    @discardableResult
    mutating func end(
        _ job: UInt64, _ outcome: Outcome = .succeeded, result: [UInt8] = [], failure: Failure? = nil, feed: FeedResult? = nil,
        snooze: UInt64 = 0, in front: inout FrontHarness
    ) -> [FrontAction] {
        guard let index = held.firstIndex(where: { $0.job == job }) else { return [] }
        report += 1
        var ended = WorkerMessage.Ended(report: report)
        ended.jobs = [job]
        ended.leases = [held[index].lease]
        ended.outcomes = [outcome]
        ended.results = [result]
        if outcome == .snoozed { ended.snoozes = [snooze] }
        if let failure, outcome != .snoozed { ended.failures = [Indexed(index: 0, value: failure)] }
        if let feed { ended.feedResults = [Indexed(index: 0, value: feed)] }
        held.remove(at: index)
        return send(.ended(ended), to: &front) + front.settle()
    }
}
