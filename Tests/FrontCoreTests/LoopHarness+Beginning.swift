//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryPackedColumns
import Testing

extension LoopHarness {
    /// A worker that has registered, to speak for.
    struct Registered {
        let id: WorkerID
        let epoch: Epoch
        let registrationNumber: RegistrationNumber

        func saying(_ messages: WorkerMessage...) -> WorkerEnvelope {
            WorkerEnvelope(worker: id, epoch: epoch, registrationNumber: registrationNumber, messages: messages)
        }
    }

    /// Opens a session for peer 7 and registers worker 3, which offers `slow` and `once` (not to be repeated).
    func begin(worker peer: PeerID, slots: UInt32 = 2) throws -> (session: SessionID, worker: Registered) {
        let client = PeerID(7)
        self.client(client, .none, .hello(ClientMessage.Hello(label: "test")))
        try turn()
        let session = try #require(try takeSent(to: client).first?.envelope.session)
        return (session, try register(WorkerID(3), at: peer, slots: slots))
    }

    /// Registers a worker that holds nothing, over a connection of its process if that is said.
    func register(_ id: WorkerID, at peer: PeerID, slots: UInt32 = 2, process: ProcessIdentity? = nil) throws -> Registered {
        var registration = WorkerMessage.Registration(
            name: "w", processID: 1, slots: slots, prefetch: 0,
            loaders: [LoaderDeclaration(name: "slow"), LoaderDeclaration(name: "once", repeatable: .no)])
        registration.secret = Array(repeating: UInt8(truncatingIfNeeded: id.rawValue), count: 32)
        registration.process = process
        worker(peer, WorkerEnvelope(worker: id, messages: [.register(registration)]), of: process)
        try turn()
        for case .registered(let registered) in try takeSent(toWorker: peer) {
            return Registered(id: id, epoch: epoch, registrationNumber: registered.registrationNumber)
        }
        throw NotRegistered()
    }

    /// The front did not take a worker.
    struct NotRegistered: Error {}

    /// Jobs without arguments under request number 1.
    static func submit(_ count: Int, loader: String, number: UInt64 = 1) -> ClientMessage.Submit {
        ClientMessage.Submit(
            number: RequestNumber(number), lowestUnanswered: RequestNumber(number), loader: loader, reportsOutcomes: true,
            arguments: PackedBytes(repeating: [], count: count))
    }
}
