//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Synchronization
import Testing

@testable import gantry

@Suite("A part of up as a process", .timeLimit(.minutes(5)))
struct SupervisedChildTests {
    /// Starts shells that say that they are ready, of which the first cannot be watched.
    private final class Calls: Sendable {
        private let started = Mutex<[ProcessID]>([])
        private let beside = Mutex<[Int]>([])
        private let hasFailed = Mutex(false)

        /// How many of the earlier ones there were at each start.
        var counts: [Int] { beside.withLock { $0 } }

        func spawn(_ request: SpawnRequest) throws -> ProcessID {
            var request = request
            (request.executable, request.name, request.arguments) = ("/bin/sh", nil, ["-c", "echo ready >&3; exec sleep 600"])
            let there = started.withLock { $0.filter { FileManager.default.fileExists(atPath: "/proc/\($0)") } }
            beside.withLock { $0.append(there.count) }
            let process = try request.spawn()
            started.withLock { $0.append(process) }
            return process
        }

        func exitDescriptor(of process: ProcessID) throws -> OwnedDescriptor {
            guard hasFailed.withLock({ exchange(&$0, with: true) }) else {
                throw SystemError(code: .tooManyOpen, context: "watching process \(process)")
            }
            return try ProcessControl.exitDescriptor(of: process)
        }

        func killAll() { for process in started.withLock({ $0 }) { try? ProcessControl.send(.kill, to: process) } }
    }

    @Test("one whose end cannot be watched is ended before the next one is started")
    func unwatched() async throws {
        let calls = Calls()
        defer { calls.killAll() }
        let (events, feed) = AsyncStream.makeStream(of: SupervisedChild.Event.self)
        let child = try SupervisedChild(
            ChildPlan(name: "part", stage: .front) { _ in [] }, sampleOriginPort: SampleOriginPort(0), report: { _ in },
            calls: ChildCalls(spawn: { try calls.spawn($0) }, exitDescriptor: { try calls.exitDescriptor(of: $0) })
        ) { feed.yield($0) }
        try child.start()
        var waiting = events.makeAsyncIterator()
        #expect(await waiting.next() == .ready)
        #expect(await waiting.next() == .ready)
        #expect(calls.counts == [0, 0])
        child.stop(with: .kill)
        #expect(await waiting.next() == .ended(final: nil))
    }

    @Test(
        "a worker that is killed while it drains is not started again, also where it says that at once",
        arguments: ["echo ready >&3; echo 'LINE' >&3", "printf 'ready\\nLINE\\n' >&3"])
    func killedWhileDraining(script: String) async throws {
        let script = script.replacing("LINE", with: ReadyLine(drainingWorker: "one").json) + "; kill -9 $$"
        let (events, feed) = AsyncStream.makeStream(of: SupervisedChild.Event.self)
        let (reports, said) = AsyncStream.makeStream(of: String.self)
        let child = try SupervisedChild(
            ChildPlan(name: "worker-1", stage: .workers) { _ in [] }, sampleOriginPort: SampleOriginPort(0), report: { said.yield($0) },
            calls: ChildCalls(spawn: { request in
                var request = request
                (request.executable, request.name, request.arguments) = ("/bin/sh", nil, ["-c", script])
                return try request.spawn()
            })
        ) { feed.yield($0) }
        try child.start()
        var waiting = events.makeAsyncIterator()
        #expect(await waiting.next() == .ready)
        #expect(await waiting.next() == .ended(final: nil))
        said.finish()
        let last = await reports.reduce(into: "") { $0 = $1 }
        #expect(last.hasPrefix("worker-1: ended by signal 9 while it drained and is not started again; for another one: "), "\(last)")
    }
}
