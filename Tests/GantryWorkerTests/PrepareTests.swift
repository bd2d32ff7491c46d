//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform
import GantryWorker
import GantryZMQ
import Synchronization
import TestSupport
import Testing

@Suite("The beginning and the end of loaders", .timeLimit(.minutes(20)))
struct PrepareTests {
    private struct NoDatabase: Error, CustomStringConvertible { let description = "no database at db.sqlite" }

    /// What loaders were asked, in order.
    private final class Diary: Sendable {
        private let written = Mutex<[String]>([])
        var lines: [String] { written.withLock { $0 } }
        func write(_ line: String) { written.withLock { $0.append(line) } }
    }

    private struct Careful: Loader {
        let name: String
        let diary: Diary
        var preparing: @Sendable () async throws -> Void = {}

        func prepare() async throws {
            diary.write("prepare \(name)")
            try await preparing()
        }

        func shutdown() async { diary.write("shutdown \(name)\(Task.isCancelled ? ", cancelled" : "")") }

        func run(_ job: JobContext) async throws -> LoaderResult {
            diary.write("run \(name)")
            return LoaderResult()
        }
    }

    private func endpoint() throws -> String { "ipc:///tmp/gantry-worker-\(try SystemRandom.next())" }

    @Test("all prepare before the worker registers, and shut down in turn after its last job, not cancelled with it")
    func order() async throws {
        let (endpoint, diary) = (try endpoint(), Diary())
        let loaders = [Careful(name: "a", diary: diary), Careful(name: "b", diary: diary)]
        let worker = try Worker(WorkerConfiguration(endpoint: endpoint, name: "w"), loaders: loaders) { diary.write("registered") }
        let running = Task { try await worker.run() }
        try await onOwnThread {
            let front = try WorkerConnection(Context(), at: endpoint)
            #expect(try front.attach().loaders.map(\.name) == ["a", "b"])
            #expect(diary.lines.prefix(2) == ["prepare a", "prepare b"])
            try front.grant("a", [""])
            _ = try front.nextEnded()
            running.cancel()
            while try !front.next().isClose {}
        }
        try await running.value
        #expect(diary.lines.filter { $0 != "registered" } == ["prepare a", "prepare b", "run a", "shutdown b", "shutdown a"])
    }

    @Test("one that cannot prepare ends the worker with its name, before it registers; those before it shut down")
    func failure() async throws {
        let diary = Diary()
        let loaders = [
            Careful(name: "a", diary: diary), Careful(name: "b", diary: diary) { throw NoDatabase() }, Careful(name: "c", diary: diary),
        ]
        let worker = try Worker(WorkerConfiguration(endpoint: try endpoint(), name: "w"), loaders: loaders)
        let error = await #expect(throws: WorkerError.self) { try await worker.run() }
        #expect(error?.code == .loaderNotPrepared)
        #expect(
            error?.description == "loader b of worker w cannot begin: no database at db.sqlite; mend that, then start the worker again")
        #expect(diary.lines == ["prepare a", "prepare b", "shutdown a"])
    }

    @Test("a worker that fails lets its loaders shut down")
    func failedWorker() async throws {
        let (endpoint, diary) = (try endpoint(), Diary())
        let worker = try Worker(WorkerConfiguration(endpoint: endpoint, name: "w"), loaders: [Careful(name: "a", diary: diary)])
        let running = Task { try await worker.run() }
        // The front stays until the worker has read its answer.
        let gate = Gate()
        async let script: Void = onOwnThread {
            let front = try WorkerConnection(Context(), at: endpoint)
            guard case .register = try front.next() else { throw WorkerConnection.TimedOut() }
            try front.send(.refused(Refused(reason: "version 9 needed")))
            gate.pass()
        }
        let error = await #expect(throws: WorkerError.self) { try await running.value }
        gate.open()
        try await script
        #expect(error?.code == .refused)
        #expect(diary.lines == ["prepare a", "shutdown a"])
    }

    @Test("a worker that is cancelled while its loaders prepare ends without an error, and never registers")
    func cancelled() async throws {
        let diary = Diary()
        let (begun, input) = AsyncStream.makeStream(of: Void.self)
        let slow = Careful(name: "b", diary: diary) {
            input.yield()
            for await _ in AsyncStream<Void>.makeStream().stream {}
            try Task.checkCancellation()
        }
        let loaders = [Careful(name: "a", diary: diary), slow, Careful(name: "c", diary: diary)]
        let worker = try Worker(WorkerConfiguration(endpoint: try endpoint(), name: "w"), loaders: loaders)
        let running = Task { try await worker.run() }
        await begun.first { _ in true }
        running.cancel()
        try await running.value
        #expect(diary.lines == ["prepare a", "prepare b", "shutdown a"])
    }

    @Test("behind a loader that prepares in spite of the worker's cancel none prepares, and what is prepared shuts down")
    func cancelledInSpite() async throws {
        let diary = Diary()
        let (begun, input) = AsyncStream.makeStream(of: Void.self)
        let heedless = Careful(name: "b", diary: diary) {
            input.yield()
            for await _ in AsyncStream<Void>.makeStream().stream {}
        }
        let loaders = [Careful(name: "a", diary: diary), heedless, Careful(name: "c", diary: diary)]
        let worker = try Worker(WorkerConfiguration(endpoint: try endpoint(), name: "w"), loaders: loaders)
        let running = Task { try await worker.run() }
        await begun.first { _ in true }
        running.cancel()
        try await running.value
        #expect(diary.lines == ["prepare a", "prepare b", "shutdown b", "shutdown a"])
    }
}
