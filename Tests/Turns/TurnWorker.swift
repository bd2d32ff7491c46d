//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryPackedColumns

/// A worker that says what a case needs.
struct TurnWorker {
    let peer: PeerID
    private let id: WorkerID
    private var registrationNumber = RegistrationNumber.none
    private var reports: UInt64 = 0
    /// What it was granted and has not reported.
    private(set) var held: [(job: UInt64, lease: UInt64)] = []

    init(_ number: UInt64) {
        id = WorkerID(number)
        peer = PeerID(100_000 + number)
    }

    /// What it registers with.
    func registration(slots: UInt32, prefetch: UInt32, loaders: [String]) -> WorkerEnvelope {
        let declarations = loaders.map { LoaderDeclaration(name: $0, isBulk: $0 == "noop") }
        var registration = WorkerMessage.Registration(name: "w\(id)", processID: 1, slots: slots, prefetch: prefetch, loaders: declarations)
        registration.secret = Array(repeating: 1, count: 32)
        return WorkerEnvelope(worker: id, epoch: .none, registrationNumber: .none, messages: [.register(registration)])
    }

    /// Takes what the front tells it.
    mutating func take(_ message: WorkerBoundMessage) {
        switch message {
        case .registered(let registered): registrationNumber = registered.registrationNumber
        case .grant(let grant): held += zip(grant.jobs, grant.leases).map { ($0, $1) }
        default: break
        }
    }

    /// Reports all that it holds.
    /// - Parameters:
    ///   - isOfManyCodes: Whether each fails with a code of its own.
    ///   - content: What feeds' jobs have made; nil: they are none.
    mutating func report(failing: Bool, isOfManyCodes: Bool = false, content: ObjectReference? = nil) -> WorkerEnvelope {
        reports += 1
        var ended = WorkerMessage.Ended(report: reports)
        ended.jobs = held.map(\.job)
        ended.leases = held.map(\.lease)
        ended.outcomes = held.map { _ in failing ? .failed : .succeeded }
        ended.results = PackedBytes(repeating: [5], count: held.count)
        if failing {
            ended.failures = held.indices.map { index in
                let code = isOfManyCodes ? FailureCode(rawValue: "code-\(held[index].job)") : .httpStatus
                return Indexed(index: UInt32(index), value: Failure(code: code, text: "the origin answered 503"))
            }
        }
        if let content {
            var result = FeedResult()
            result.content = content
            ended.feedResults = held.indices.map { Indexed(index: UInt32($0), value: result) }
        }
        held.removeAll()
        return WorkerEnvelope(worker: id, epoch: Epoch(5), registrationNumber: registrationNumber, messages: [.ended(ended)])
    }
}
