//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Loaders
import Logging
import Model
import Platform
import ServiceLifecycle
import Testing
import WorkerKit
import ZMQ

@Suite("A worker over a socket", .timeLimit(.minutes(2)))
struct WorkerTests {
    func endpoint() throws -> String { "ipc:///tmp/gantry-worker-\(try SystemRandom.next())" }

    @Test("a custom worker of a few lines registers, greets, fails with reasons and ends when the front drains it")
    func custom() async throws {
        let endpoint = try endpoint()
        let worker = try Worker(WorkerConfiguration(endpoint: endpoint, name: "greeter", slots: 2), loaders: [Greeter()])
        async let running: Void = worker.run()
        let (hello, nobody) = try await onThread {
            let front = try ScriptedFront(Context(), at: endpoint)
            #expect(try front.attach().loaders == [LoaderDeclaration(name: "greet")])
            try front.grant("greet", ["Ada"])
            let hello = try front.nextEnded()
            try front.grant("greet", [""], from: 2)
            let nobody = try front.nextEnded()
            try front.send(.drain)
            var last = try front.next()
            while last != .goodbye { last = try front.next() }
            return (hello, nobody)
        }
        try await running
        #expect(String(decoding: hello.results, as: UTF8.self) == "hello Ada")
        #expect(hello.jobs == [1_001])
        #expect(nobody.failures.map(\.value.text) == ["nobody to greet: hand in a name"])
        #expect(nobody.failures.map(\.value.code) == [.invalidData])
    }

    @Test("a sleeping job reports that it started, is cancelled in the middle, and ends as cancelled")
    func cancel() async throws {
        let endpoint = try endpoint()
        let worker = try Worker(WorkerConfiguration(endpoint: endpoint, name: "w"), loaders: [SleepLoader()])
        async let running: Void = worker.run()
        let messages = try await onThread {
            let front = try ScriptedFront(Context(), at: endpoint)
            _ = try front.attach()
            try front.grant("sleep", ["600000"])
            var messages = [try front.next()]
            try front.send(.cancel(leases: [1]))
            while messages.last != .cancelStep(LeaseID(1), .stopping) { messages.append(try front.next()) }
            let ended = try front.nextEnded()
            #expect(ended.outcomes == [Outcome.cancelled.rawValue])
            try front.send(.drain)
            while messages.last != .goodbye { messages.append(try front.next()) }
            return messages
        }
        try await running
        #expect(messages.first == .started(leases: [1]))
        #expect(messages.contains(.cancelStep(LeaseID(1), .delivered)))
    }

    @Test("a thousand short jobs come back in order with their arguments")
    func short() async throws {
        let endpoint = try endpoint()
        let worker = try Worker(WorkerConfiguration(endpoint: endpoint, name: "w"), shortLoaders: [NoopLoader()])
        async let running: Void = worker.run()
        let arguments = (0..<1_000).map { "argument \($0)" }
        let results = try await onThread {
            let front = try ScriptedFront(Context(), at: endpoint)
            #expect(try front.attach().loaders == [LoaderDeclaration(name: "noop", isShort: true)])
            try front.grant("noop", arguments)
            var results: [UInt8] = []
            var count = 0
            while count < 1_000 {
                let ended = try front.nextEnded()
                count += ended.jobs.count
                results += ended.results
            }
            try front.send(.drain)
            while try front.next() != .goodbye {}
            return results
        }
        try await running
        #expect(results == arguments.flatMap { Array($0.utf8) })
    }

    @Test("a graceful shutdown of the service group drains: the running job still ends with its result")
    func gracefulShutdown() async throws {
        let endpoint = try endpoint()
        let gate = AsyncStream.makeStream(of: Void.self)
        let worker = try Worker(
            WorkerConfiguration(endpoint: endpoint, name: "w"),
            loaders: [SleepLoader { _ in for await _ in gate.stream { break } }])
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: worker, successTerminationBehavior: .gracefullyShutdownGroup)], logger: Logger(label: "test")))
        async let running: Void = group.run()
        try await onThread {
            let front = try ScriptedFront(Context(), at: endpoint)
            _ = try front.attach()
            try front.grant("sleep", ["40"])
            #expect(try front.next() == .started(leases: [1]))
            Task { await group.triggerGracefulShutdown() }
            while try front.next() != .draining {}
            gate.continuation.yield()
            #expect(try front.nextEnded().outcomes == [Outcome.succeeded.rawValue])
            while try front.next() != .goodbye {}
        }
        try await running
    }

    @Test("loader names must be well formed and different, endpoints local")
    func refusals() throws {
        let configuration = WorkerConfiguration(endpoint: "ipc:///tmp/x", name: "w")
        #expect(throws: WorkerError.self) { try Worker(configuration, shortLoaders: [NoopLoader(), NoopLoader()]) }
        let far = WorkerConfiguration(endpoint: "tcp://10.0.0.1:7703", name: "w")
        #expect(throws: WorkerError.self) { try Worker(far, loaders: [Greeter()]) }
    }
}
