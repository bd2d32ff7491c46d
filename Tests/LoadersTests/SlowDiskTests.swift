//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FeedSettings
import FileCache
import Model
import TestSupport
import Testing
import WorkerKit

@testable import Loaders

@Suite("A slow disk", .timeLimit(.minutes(5)))
struct SlowDiskTests {
    @Test("a list is not put in order any more once its job is cancelled")
    func stopped() throws {
        let bench = try LoaderBench()
        let ingest = try ListIngest(cache: bench.cache, items: .at(""), mapping: LoaderSettings.byHand.item, firstSeen: nil)
        #expect(try ingest.append(Array(#"[{"id":1,"name":"A"}]"#.utf8)) == 1)
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
}
