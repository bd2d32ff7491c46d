//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import NIOCore
import Testing

extension EndToEnd {
    /// What a large detail costs its worker.
    @Suite("Large details", .serialized, .timeLimit(.minutes(10)))
    struct LargeDetailTests {
        @Test("a worker's memory grows by a detail's size, not by twice as much, and the whole detail can be read")
        func memory() async throws {
            let byteCount = 32 << 20
            let scenario = try Scenario()
            let origin = try await LargeAnswerer.serve(byteCount: byteCount)
            let place = "http://127.0.0.1:\(origin.localAddress?.port ?? 0)"
            try scenario.write(
                "gantry.yaml",
                """
                version: 1
                http: { allow: ["127.0.0.1:*"], max-body: 64MiB, timeout: { connect: 5s, idle: 60s, total: 300s } }
                feeds:
                  things:
                    source: { http: { url: "\(place)/list", items: "" } }
                    item: { id: /id, title: /title }
                    detail: "\(place)/detail/{id}"

                """)
            let front = try await scenario.serve("front")
            let worker = try await scenario.serve("worker")
            try await scenario.gantry("feed", "load", "things")
            let before = try Self.peak(of: worker.process)
            let command = "gantry feed select things 1 --timeout 300s > detail.txt"
            let select = try await scenario.end(of: scenario.start(program: "/bin/sh", ["-c", command]))
            #expect(select.code == 0, "\(select.errors)")
            let grown = try Self.peak(of: worker.process) - before
            #expect(grown < byteCount * 3 / 2, "it grew by \(grown) bytes")
            #expect(grown > byteCount / 2, "a figure that does not see the detail proves nothing")
            let printed = try FileManager.default.attributesOfItem(atPath: scenario.folder + "/detail.txt")[.size] as? Int ?? 0
            #expect(printed > byteCount)
            for process in [worker, front] { process.send(.interrupt) }
            _ = try await (worker.exit(), front.exit())
            try await origin.close()
        }

        /// The most bytes of memory that a process has had.
        private static func peak(of process: ProcessID) throws -> Int {
            let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            let number = try #require(line.split { !$0.isNumber }.first.flatMap { Int($0) })
            return number * 1_024
        }
    }
}
