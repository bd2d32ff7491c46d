//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import Foundation
import GantryModel
import GantryPackedColumns
import GantryPlatform
import GantryWorker
import GantryZMQ
import Loaders
import Logging
import ServiceLifecycle
import TestSupport
import Testing

@Suite("A worker over a socket", .timeLimit(.minutes(20)))
struct WorkerTests {
    func endpoint() throws -> String { "ipc:///tmp/gantry-worker-\(try SystemRandom.next())" }

    @Test("a custom worker of a few lines registers, greets, fails with reasons and ends when it is told to")
    func custom() async throws {
        let endpoint = try endpoint()
        let worker = try Worker(WorkerConfiguration(endpoint: endpoint, name: "greeter", slots: 2), loaders: [Greeter()])
        let running = Task { try await worker.run() }
        let (hello, nobody) = try await onOwnThread {
            let front = try WorkerConnection(Context(), at: endpoint)
            #expect(try front.attach().loaders == [LoaderDeclaration(name: "greet")])
            try front.grant("greet", ["Ada"])
            let hello = try front.nextEnded()
            try front.grant("greet", [""], from: 2)
            let nobody = try front.nextEnded()
            running.cancel()
            var last = try front.next()
            while !last.isClose { last = try front.next() }
            return (hello, nobody)
        }
        try await running.value
        #expect(String(decoding: hello.results.bytes, as: UTF8.self) == "hello Ada")
        #expect(hello.jobs == [1_001])
        #expect(nobody.failures.map(\.value.text) == ["nobody to greet: submit a name"])
        #expect(nobody.failures.map(\.value.code) == [.invalidData])
    }

    @Test("an error of a loader's own is retryable and names its type alone; the log has its description")
    func ownError() async throws {
        struct Broken: Error, CustomStringConvertible { let description = "GET http://h/?token=secret failed" }
        struct Breaking: Loader {
            let name = "break"
            func run(_ job: JobContext) async throws -> LoaderResult { throw Broken() }
        }
        let endpoint = try endpoint()
        let log = LogCapture()
        let worker = try Worker(WorkerConfiguration(endpoint: endpoint, name: "w"), loaders: [Breaking()], logger: log.logger)
        let running = Task { try await worker.run() }
        let failure = try await onOwnThread {
            let front = try WorkerConnection(Context(), at: endpoint)
            _ = try front.attach()
            try front.grant("break", ["x"])
            let failure = try front.nextEnded().failures.first?.value
            running.cancel()
            while try !front.next().isClose {}
            return failure
        }
        try await running.value
        #expect(failure?.code == .loaderFailed && failure?.retryable == true)
        #expect(failure?.text == "loader break failed with Broken: see the worker's log of job 1001, then retry")
        #expect(log.lines.contains { $0.contains("token=secret") && $0.contains("1001") })
    }

    @Test("the log has why the front does not take the worker for now, once for each reason")
    func refusedForNow() async throws {
        let endpoint = try endpoint()
        let log = LogCapture()
        let worker = try Worker(WorkerConfiguration(endpoint: endpoint, name: "w"), loaders: [Greeter()], logger: log.logger)
        let running = Task { try await worker.run() }
        try await onOwnThread {
            let front = try WorkerConnection(Context(), at: endpoint)
            for _ in 0..<2 {
                guard case .register = try front.next() else { throw WorkerConnection.TimedOut() }
                try front.send(.refused(Refused(reason: "256 workers are known", code: .busy, retryAfter: .milliseconds(1))))
            }
            _ = try front.attach()
            // A worker that is told to end before it has read that it is registered has nobody to send close to.
            try front.grant("greet", ["Ada"])
            _ = try front.nextEnded()
            running.cancel()
            while try !front.next().isClose {}
        }
        try await running.value
        #expect(log.lines.filter { $0.contains("256 workers are known") }.count == 1)
    }

    @Test("who reads the worker's notes late never holds its loop: it goes on renewing while the first is still being told")
    func slowNotes() async throws {
        let endpoint = try endpoint()
        let (reported, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let worker = try Worker(WorkerConfiguration(endpoint: endpoint, name: "w"), loaders: [Greeter()]) {
            reported.signal()
            gate.wait()
        }
        let running = Task { try await worker.run() }
        let hello = try await onOwnThread {
            // A script that fails must not leave the reader waiting: it holds one of the few threads of all tasks.
            defer { gate.signal() }
            let front = try WorkerConnection(Context(), at: endpoint)
            _ = try front.attach()
            reported.wait()
            try front.grant("greet", ["Ada"])
            let hello = try front.nextEnded()
            running.cancel()
            while try !front.next().isClose {}
            return hello
        }
        try await running.value
        #expect(String(decoding: hello.results.bytes, as: UTF8.self) == "hello Ada")
    }

    @Test("readers that hold the notes of workers hold none of the threads that all tasks share")
    func heldNotes() async throws {
        let endpoints = try (0...ProcessInfo.processInfo.activeProcessorCount).map { _ in try endpoint() }
        let (reported, gate, free) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let workers = try endpoints.map { endpoint in
            try Worker(WorkerConfiguration(endpoint: endpoint, name: "w"), loaders: [Greeter()]) {
                reported.signal()
                gate.wait()
            }
        }
        let running = workers.map { worker in Task { try await worker.run() } }
        let areFree = try await onOwnThread {
            defer { for _ in endpoints { gate.signal() } }
            let fronts = try endpoints.map { try WorkerConnection(Context(), at: $0) }
            for front in fronts { _ = try front.attach() }
            let areTold = fronts.allSatisfy { _ in reported.wait(timeout: .now() + 120) == .success }
            Task.detached { free.signal() }
            let areFree = areTold && free.wait(timeout: .now() + 120) == .success
            for (front, worker) in zip(fronts, running) {
                worker.cancel()
                while try !front.next().isClose {}
            }
            return areFree
        }
        #expect(areFree)
        for worker in running { try await worker.value }
    }

    @Test("a sleeping job is cancelled in the middle, and ends as cancelled")
    func cancel() async throws {
        struct UnhurriedSleep: Loader {
            let name = "sleep"
            let stopTime = WorkerConnection.beyondAllTests
            func run(_ job: JobContext) async throws -> LoaderResult { try await SleepLoader().run(job) }
        }
        let endpoint = try endpoint()
        let worker = try Worker(WorkerConfiguration(endpoint: endpoint, name: "w"), loaders: [UnhurriedSleep()])
        let running = Task { try await worker.run() }
        let messages = try await onOwnThread {
            let front = try WorkerConnection(Context(), at: endpoint)
            _ = try front.attach()
            try front.grant("sleep", ["5000"])
            var messages = [try front.nextProgress()]
            try front.send(.cancel(leases: [1]))
            while messages.last != .cancelStep(LeaseID(1), .stopping) { messages.append(try front.next()) }
            let ended = try front.nextEnded()
            #expect(ended.outcomes == [.cancelled])
            running.cancel()
            while messages.last?.isClose != true { messages.append(try front.next()) }
            return messages
        }
        try await running.value
        #expect(messages.contains(.cancelStep(LeaseID(1), .delivered)))
    }

    @Test("a thousand bulk jobs come back in order with their arguments")
    func short() async throws {
        let endpoint = try endpoint()
        let worker = try Worker(WorkerConfiguration(endpoint: endpoint, name: "w"), bulkLoaders: [NoopLoader()])
        let running = Task { try await worker.run() }
        let arguments = (0..<1_000).map { "argument \($0)" }
        let results = try await onOwnThread {
            let front = try WorkerConnection(Context(), at: endpoint)
            #expect(try front.attach().loaders == [LoaderDeclaration(name: "noop", isBulk: true)])
            try front.grant("noop", arguments)
            var results = PackedBytes()
            var count = 0
            while count < 1_000 {
                let ended = try front.nextEnded()
                count += ended.jobs.count
                results.append(contentsOf: ended.results)
            }
            running.cancel()
            while try !front.next().isClose {}
            return results
        }
        try await running.value
        #expect(results == PackedBytes(arguments.map(\.utf8)))
    }

    @Test("a graceful shutdown of the service group drains: the running job still ends with its result")
    func gracefulShutdown() async throws {
        let endpoint = try endpoint()
        let gate = AsyncStream.makeStream(of: Void.self)
        let worker = try Worker(
            WorkerConfiguration(endpoint: endpoint, name: "w"),
            loaders: [SleepLoader { _ in for await _ in gate.stream { break } }])
        // The first of its steps passes at once, and is told as progress.
        gate.continuation.yield()
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: worker, successTerminationBehavior: .gracefullyShutdownGroup)], logger: Logger(label: "test")))
        async let running: Void = group.run()
        try await onOwnThread {
            let front = try WorkerConnection(Context(), at: endpoint)
            _ = try front.attach()
            try front.grant("sleep", ["400"])
            _ = try front.nextProgress()
            Task { await group.triggerGracefulShutdown() }
            while try front.next() != .draining {}
            gate.continuation.finish()
            #expect(try front.nextEnded().outcomes == [.succeeded])
            while try !front.next().isClose {}
        }
        try await running
    }

    @Test("loader names must be well formed and different, endpoints local")
    func refusals() throws {
        let configuration = WorkerConfiguration(endpoint: "ipc:///tmp/x", name: "w")
        #expect(throws: WorkerError.self) { try Worker(configuration, bulkLoaders: [NoopLoader(), NoopLoader()]) }
        let far = WorkerConfiguration(endpoint: "tcp://10.0.0.1:7703", name: "w")
        #expect(throws: WorkerError.self) { try Worker(far, loaders: [Greeter()]) }
    }
}
