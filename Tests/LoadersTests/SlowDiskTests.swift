//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedSettings
import GantryFileCache
import GantryModel
import GantryWorker
import Synchronization
import TestSupport
import Testing

@testable import GantryFeedLoaders
@testable import Loaders

@Suite("A slow disk", .timeLimit(.minutes(5)))
struct SlowDiskTests {
    @Test("a list is not put in order any more once its job is cancelled")
    func stopped() throws {
        let bench = try LoaderBench()
        let ingest = try ListIngest(cache: bench.cache, items: .at(""), mapping: LoaderSettings.manual.item, firstSeen: nil)
        let items = try ingest.parse(Array(#"[{"id":1,"name":"A"}]"#.utf8))
        #expect(items.map(\.id) == ["1"])
        try ingest.write(items)
        let stop = StopFlag()
        stop.raise()
        let error = #expect(throws: FileCacheError.self) { try ingest.finish(stop) }
        #expect(error?.code == .cancelled)
    }

    @Test("64 jobs whose file operations hang delay no other job, and are cancelled on time; beyond twice as many a job is refused")
    func hanging() async throws {
        let (resources, gate) = (LoaderResources(), Gate())
        let bench = try LoaderBench()
        let server = try await SocketServer(["/x": SocketServer.ok("[]")])
        let loader = HTTPLoader(cache: bench.cache, policy: .local(server.port), resources: resources)
        func hang(_ count: Int) async -> [Task<Void, any Error>] {
            let tasks = (0..<count).map { _ in Task { try await resources.withFiles { _ in gate.pass() } } }
            await gate.arrived(count)
            return tasks
        }
        var stuck = await hang(64)
        #expect(try await bench.run(loader, bench.work(.load, .at(server.port, "/x"))).content?.itemCount == 0)
        for task in stuck { task.cancel() }
        for task in stuck { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(resources.fileCounts == .init(running: 64, abandoned: 64))
        stuck = await hang(64)
        let refused = await bench.failure(loader, try bench.work(.load, .at(server.port, "/x")))
        #expect(refused?.code == .busy && refused?.retryable == true)
        #expect(refused?.text.contains("64 file operations of earlier jobs hang: check the disk") == true)
        gate.open()
        for task in stuck { try await task.value }
    }

    /// Resources whose file calls pass until the n-th, which stays at the gate.
    private func resources(stoppingAt count: Int, _ gate: Gate) -> LoaderResources {
        let calls = Atomic(0)
        return LoaderResources {
            if calls.add(1, ordering: .relaxed).newValue == count { gate.pass() }
        }
    }

    /// Runs the work until its n-th file call hangs, lets the total time-out of 3 s pass, and says what the work ended with.
    private func timedOut(at count: Int, _ bench: LoaderBench, _ port: Int, _ work: FeedWork) async -> LoaderFailure? {
        let (gate, clock) = (Gate(), ManualClock())
        let resources = resources(stoppingAt: count, gate)
        let loader = HTTPLoader(
            cache: bench.cache, policy: .local(port), resources: resources, clock: clock, resolve: HostResolver().addresses)
        let task = Task { await bench.failure(loader, work) }
        await gate.arrived(1)
        await clock.whenAsleep(until: .seconds(3))
        clock.advance(to: .seconds(3))
        let failure = await task.value
        #expect(resources.fileCounts == .init(running: 1, abandoned: 1))
        gate.open()
        return failure
    }

    @Test(
        "the total time-out ends a load on time whichever of its file calls hangs: opening the list, writing a part, ending it, putting it in order",
        arguments: 1...4)
    func timedOut(at count: Int) async throws {
        let bench = try LoaderBench()
        let server = try await SocketServer(["/x": SocketServer.ok(#"[{"id":1,"name":"A"}]"#)])
        let work = try bench.work(.load, .at(server.port, "/x") { $0.http.totalTimeout = .seconds(3) })
        let failure = await timedOut(at: count, bench, server.port, work)
        #expect(failure?.code == .timedOut && failure?.retryable == true)
        #expect(failure?.text == "http://127.0.0.1:\(server.port)/x took longer than 3 s: ask for less, or raise http.timeout.total")
    }

    @Test(
        "the total time-out ends the load of a detail on time whichever of its file calls hangs: looking for the item, keeping the text",
        arguments: 1...2)
    func detailTimedOut(at count: Int) async throws {
        let bench = try LoaderBench()
        let server = try await SocketServer(["/items/a": SocketServer.ok("{}")])
        let settings = LoaderSettings.at(server.port, "/") {
            $0.detail = URLTemplate("http://127.0.0.1:\(server.port)/items/{id}")
            $0.http.totalTimeout = .seconds(3)
        }
        let work = try bench.work(.detail, settings) {
            $0.content = try? bench.list([ListItem(id: "a", title: "A")])
            $0.itemID = "a"
        }
        let failure = await timedOut(at: count, bench, server.port, work)
        #expect(failure?.code == .timedOut && failure?.retryable == true)
        #expect(failure?.text.contains("/items/a took longer than 3 s") == true)
    }

    @Test("answers are parsed while all threads for files hang, and files are worked on while all threads for parsing are taken")
    func parsing() async throws {
        let (resources, files, parsers) = (LoaderResources(), Gate(), Gate())
        let bench = try LoaderBench()
        let stuckFiles = (0..<128).map { _ in Task { try await resources.withFiles { _ in files.pass() } } }
        await files.arrived(128)
        let ingest = try ListIngest(cache: bench.cache, items: .at(""), mapping: LoaderSettings.manual.item, firstSeen: nil)
        #expect(try await resources.withParser { try ingest.parse(Array(#"[{"id":1,"name":"A"}"#.utf8)).count } == 1)
        files.open()
        for task in stuckFiles { try await task.value }

        let stuckParsers = (0..<128).map { _ in Task { try await resources.withParser { parsers.pass() } } }
        await parsers.arrived(128)
        let sorted = try await bench.run(ListLoader(cache: bench.cache, resources: resources), bench.work(.load, .manual))
        #expect(sorted.content?.itemCount == 0)
        let server = try await SocketServer(["/x": SocketServer.ok(#"[{"id":1,"name":"A"}]"#)])
        let loader = HTTPLoader(cache: bench.cache, policy: .local(server.port), resources: resources)
        let refused = await bench.failure(loader, try bench.work(.load, .at(server.port, "/x")))
        #expect(refused?.code == .busy && refused?.retryable == true)
        #expect(refused?.text.hasPrefix("128 answers are being parsed: give the worker fewer slots") == true)
        parsers.open()
        for task in stuckParsers { try await task.value }
    }
}
