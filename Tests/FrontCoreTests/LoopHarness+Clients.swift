//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryPackedColumns
import Testing

extension LoopHarness {
    /// Opens a session for a client.
    func open(_ peer: PeerID = PeerID(7)) throws -> SessionID {
        client(peer, .none, .hello(ClientMessage.Hello(label: "test")))
        try turn()
        return try #require(try takeSent(to: peer).first?.envelope.session)
    }

    /// The messages that went to a client.
    func takeMessages(to peer: PeerID = PeerID(7)) throws -> [FrontMessage] { try takeSent(to: peer).flatMap(\.envelope.messages) }

    /// The replies among them, by number.
    func takeReplies(to peer: PeerID = PeerID(7)) throws -> [UInt64: Reply] {
        var replies: [UInt64: Reply] = [:]
        for case .reply(let number, let reply, _) in try takeMessages(to: peer) { replies[number.rawValue] = reply }
        return replies
    }

    /// A request under a number of its own.
    static func request(_ number: UInt64, _ body: RequestBody) -> ClientMessage {
        .request(.init(number: RequestNumber(number), lowestUnanswered: RequestNumber(1), body: body))
    }

    /// Jobs without arguments.
    static func submit(_ number: UInt64, _ count: Int, loader: String = "slow") -> ClientMessage {
        .submit(
            ClientMessage.Submit(
                number: RequestNumber(number), lowestUnanswered: RequestNumber(1), loader: loader, reportsOutcomes: true,
                arguments: PackedBytes(repeating: [], count: count)))
    }

    /// Registers a worker that offers `slow`, which may not be repeated; what it says goes in such envelopes.
    func register(_ id: UInt64, at peer: PeerID) throws -> WorkerEnvelope {
        var registration = WorkerMessage.Registration(
            name: "w", processID: 1, slots: 4, prefetch: 0, loaders: [LoaderDeclaration(name: "slow", repeatable: .no)])
        registration.secret = Array(repeating: UInt8(truncatingIfNeeded: id), count: 32)
        worker(peer, WorkerEnvelope(worker: WorkerID(id), messages: [.register(registration)]))
        try turn()
        for case .registered(let registered) in try takeSent(toWorker: peer) {
            return WorkerEnvelope(worker: WorkerID(id), epoch: Epoch(5), registrationNumber: registered.registrationNumber, messages: [])
        }
        Issue.record("the worker was not taken")
        return WorkerEnvelope(worker: WorkerID(id), messages: [])
    }
}

extension WorkerEnvelope {
    /// The same sender says that.
    func saying(_ messages: WorkerMessage...) -> WorkerEnvelope {
        var envelope = self
        envelope.messages = messages
        return envelope
    }
}
