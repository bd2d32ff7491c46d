//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryWire
import GantryZMQ

/// The front's end of one worker's connection, played by a script. Renewals are answered by themselves.
final class WorkerConnection {
    struct TimedOut: Error {}

    static let id = FrontID(5)
    private let router: Socket<Router>
    private var poller = Poller()
    private var peer: RoutingID?
    private var received: [WorkerMessage] = []
    private var newestRenewal = RenewalNumber.none
    private let codec = WireCodec()

    init(_ context: Context, at endpoint: String) throws {
        let socket = try Socket<Router>(context)
        var sheet = OptionSheet()
        sheet.linger = .seconds(1)
        try socket.apply(sheet)
        try socket.bind(endpoint)
        _ = try poller.add(socket)
        router = socket
    }

    func send(_ messages: WorkerBoundMessage...) throws {
        guard let peer else { throw TimedOut() }
        let frame = codec.encode(WorkerBoundEnvelope(front: Self.id, epoch: Epoch(3), messages: messages))
        _ = try router.send(to: peer, frame)
    }

    /// The next report of progress; what comes before it is dropped.
    func nextProgress() throws -> WorkerMessage {
        while true {
            let message = try next()
            if case .progress = message { return message }
        }
    }

    /// The next message that is no renewal; fails the test's script after fifteen minutes, before the suite's own limit: only
    /// a worker that says nothing comes to that, not one that other tests keep waiting.
    func next() throws -> WorkerMessage {
        while received.isEmpty {
            guard try poller.wait(upTo: .seconds(900)) > 0 else { throw TimedOut() }
            while let routed = try router.receiveRouted() {
                peer = routed.routingID
                for message in try codec.decodeWorker(routed.body.copyBytes()).messages {
                    if case .renewal(let number, _, _) = message {
                        newestRenewal = number
                        try send(.renewed(number, cancels: []))
                    } else {
                        received.append(message)
                    }
                }
            }
        }
        return received.removeFirst()
    }

    /// Longer than a run of all tests: the lease of each job, and how long a loader here may take to stop.
    ///
    /// The worker stands in the tests' own process, which the kernel ends when a lease is over or a cancelled job has not stopped in time. A job is a
    /// task, and waits behind those of all other tests, for minutes on a slow machine.
    static let beyondAllTests = Duration.seconds(7_200)

    /// Takes the worker's registration.
    func attach() throws -> WorkerMessage.Registration {
        guard case .register(let registration) = try next() else { throw TimedOut() }
        try send(
            .registered(
                WorkerBoundMessage.Registered(
                    registrationNumber: RegistrationNumber(1), lease: Self.beyondAllTests, renewal: .milliseconds(50), decisions: [])))
        return registration
    }

    func grant(_ loader: String, _ arguments: [String], from first: UInt64 = 1) throws {
        var grant = WorkerBoundMessage.Grant(registrationNumber: RegistrationNumber(1), renewal: .none, wall: WallTime(milliseconds: 1))
        grant.loaders = [loader]
        for (index, argument) in arguments.enumerated() {
            grant.jobs.append(1_000 + first + UInt64(index))
            grant.leases.append(first + UInt64(index))
            grant.loaderIndexes.append(0)
            grant.attempts.append(1)
            grant.arguments.append(argument.utf8)
        }
        try send(.grant(grant))
    }

    /// The next report, which is said to be durable at once.
    func nextEnded() throws -> WorkerMessage.Ended {
        while true {
            if case .ended(let ended) = try next() {
                try send(.acknowledged(reports: [ended.report]))
                return ended
            }
        }
    }
}

extension WorkerMessage {
    /// Whether it is the last one of a worker.
    var isClose: Bool { if case .close = self { true } else { false } }
}
