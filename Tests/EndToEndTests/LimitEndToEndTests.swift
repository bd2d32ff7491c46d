//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import TestSupport
import Testing

extension EndToEnd {
    /// Workers outside of gantry (`ChaosWorker`) write down each start and each end of a run, in a file that the front knows nothing of.
    @Suite("Limits over real processes", .serialized, .timeLimit(.minutes(10)))
    struct LimitEndToEndTests {
        /// What ran when, as the file and the kills say: a killed process runs nothing from then on.
        private struct Outside {
            /// Starts as 1, ends as -1, each with the process and the job.
            private var events: [(at: Int64, job: String, process: Int32, change: Int)] = []

            init(ledger path: String, kills: [Int32: Int64]) throws {
                var open: [Int32: [String: Int64]] = [:]
                for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
                    let parts = line.split(separator: " ").map(String.init)
                    guard parts.count == 5, let process = Int32(parts[3]), let at = Int64(parts[4]) else { continue }
                    if parts[0] == "start" { open[process, default: [:]][parts[1]] = at } else { open[process]?[parts[1]] = nil }
                    events.append((at, parts[1], process, parts[0] == "start" ? 1 : -1))
                }
                for (process, at) in kills {
                    for (job, start) in open[process] ?? [:] { events.append((max(at, start), job, process, -1)) }
                }
                events.sort { ($0.at, $0.change) < ($1.at, $1.change) }
            }

            /// The most of some jobs that ran at once.
            func most(of jobs: Set<String>) -> Int {
                var (now, most) = (0, 0)
                for event in events where jobs.contains(event.job) {
                    now += event.change
                    most = max(most, now)
                }
                return most
            }

            var started: Set<String> { Set(events.map(\.job)) }
        }

        @Test("no more jobs run at once than limits say, counted at the workers, while workers and the front are killed")
        func ledger() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--workers", "1", "--without", "sample-origin")
            try await scenario.gantry("limit", "set", "api", "3")
            try await scenario.gantry("limit", "set", "tenant", "1")
            let unknown = try await scenario.gantry("job", "submit", "stamp", "--limit", "apo", code: 6)
            #expect(unknown.errors.contains("no limit is called \"apo\""), "\(unknown.errors)")
            #expect(unknown.errors.contains("next:  use --limit api, or gantry limit set apo CAPACITY"), "\(unknown.errors)")
            let ledger = scenario.folder + "/ledger"
            func worker(_ name: String) async throws -> Running {
                try await scenario.start(
                    program: Scenario.programs + "/ChaosWorker", ["ipc://\(scenario.data)/run/workers", name, "4", ledger])
            }
            var workers = [try await worker("one"), try await worker("two"), try await worker("three")]
            var jobs: [String: Set<String>] = [:]
            for tenant in ["a", "b", "c"] {
                let answer = try await scenario.gantry(
                    "job", "submit", "stamp", "--argument", "40", "--count", "40", "--limit", "api", "--limit", "tenant=\(tenant)")
                jobs[tenant] = Set(answer.lines)
            }
            var kills: [Int32: Int64] = [:]
            for round in 0..<3 {
                // Some jobs later than the last kill, so that each one meets running jobs.
                let all = jobs.values.flatMap { $0 }.compactMap { UInt64($0) }.sorted()
                _ = try await scenario.run(["job", "wait", String(all[20 + 25 * round]), "--timeout", "60s"])
                if round == 1 { try ProcessControl.send(.kill, to: scenario.frontProcess()) }
                kills[workers[round].process.rawValue] = SystemClock.bootNanoseconds()
                workers[round].send(.kill)
                _ = try await workers[round].exit()
                workers.append(try await worker("after-\(round)"))
            }
            for job in jobs.values.flatMap({ $0 }) { try await scenario.gantry("job", "wait", job, "--timeout", "120s") }
            let outside = try Outside(ledger: ledger, kills: kills)
            #expect(outside.started == Set(jobs.values.flatMap { $0 }))
            #expect(outside.most(of: outside.started) == 3)
            for (tenant, own) in jobs { #expect(outside.most(of: own) == 1, "tenant \(tenant)") }
            let limits = try await scenario.gantry("limit", "list", "--output", "json").items()
            #expect(limits.map { $0["name"] as? String } == ["api", "tenant"], "\(limits)")
            #expect(limits.allSatisfy { $0["inUse"] as? Int == 0 && $0["waiting"] as? Int == 0 }, "\(limits)")
            try await scenario.gantry("limit", "delete", "api")
            #expect(try await scenario.gantry("limit", "show", "api", code: 6).errors.contains("no limit is called \"api\""))
            #expect(up.errors.contains("ended by signal 9"))
            for worker in workers.suffix(3) { worker.send(.terminate) }
        }

        @Test("a job says which limit it waits for, a limit that is lowered shows more in use than it has, and one that is in use is kept")
        func shown() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            try await scenario.gantry("limit", "set", "api", "2")
            let jobs = try await scenario.gantry("job", "submit", "sleep", "--argument", "60000", "--count", "3", "--limit", "api=acme")
                .lines
            func explained() async throws -> String { try await scenario.gantry("job", "explain", jobs[2]).output }
            try await scenario.settles("a full limit") { try await explained().contains("2 of 2 are taken") }
            #expect(try await explained().contains("waits: the limit api=acme has no room: 2 of 2 are taken"))
            #expect(try await explained().contains("limit api=acme"))
            try await scenario.gantry("limit", "set", "api", "1")
            #expect(try await explained().contains("2 of 1 are taken"))
            let text = try await scenario.gantry("limit", "show", "api").output
            #expect(text == "api: 2 in use, 1 value of 1, 1 job waits\n  acme: 2 of 1, 1 job waits", "\(text)")
            let kept = try await scenario.gantry("limit", "delete", "api", code: 9)
            #expect(kept.errors.contains("3 jobs that have not ended name the limit api"), "\(kept.errors)")
            let watched = try await scenario.gantry("watch", "limits", "--count", "1", "--output", "jsonl").output
            #expect(watched.contains("\"inUse\":2") && watched.contains("\"value\":\"acme\""), "\(watched)")
            for job in jobs { try await scenario.gantry("job", "cancel", job) }
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
        }
    }
}
