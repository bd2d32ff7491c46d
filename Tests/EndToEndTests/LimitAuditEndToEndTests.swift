//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import TestSupport
import Testing

extension EndToEnd {
    /// The audit and a ledger that knows nothing of it (`ChaosWorker` writes it) speak of the same runs.
    @Suite("Audits over real processes", .serialized, .timeLimit(.minutes(10)))
    struct LimitAuditEndToEndTests {
        /// The most that ran at once and how many began, as the ledger and the ends of processes say.
        private func outside(_ ledger: String, ends: [Int32: Int64]) throws -> (most: Int, starts: Int) {
            var events: [(at: Int64, change: Int)] = []
            var open: [String: Int32] = [:]
            for line in try String(contentsOfFile: ledger, encoding: .utf8).split(separator: "\n") {
                let parts = line.split(separator: " ").map(String.init)
                guard parts.count == 5, let process = Int32(parts[3]), let at = Int64(parts[4]) else { continue }
                let run = "\(parts[1]) \(parts[2]) \(process)"
                open[run] = parts[0] == "start" ? process : nil
                events.append((at, parts[0] == "start" ? 1 : -1))
            }
            for process in open.values { events.append((ends[process] ?? .max, -1)) }
            events.sort { ($0.at, $0.change) < ($1.at, $1.change) }
            var (now, most) = (0, 0)
            for event in events {
                now += event.change
                most = max(most, now)
            }
            return (most, events.count { $0.change > 0 })
        }

        private func worker(_ scenario: Scenario, _ name: String) async throws -> Running {
            try await scenario.start(
                program: Scenario.programs + "/ChaosWorker",
                ["ipc://\(scenario.data)/run/workers", name, "2", scenario.folder + "/ledger"])
        }

        private func audit(_ scenario: Scenario, _ arguments: String..., code: Int32 = 0) async throws -> [String: Any] {
            let answer = try await scenario.run(["limit", "audit", "--output", "json"] + arguments)
            #expect(answer.code == code, "\(answer.output) \(answer.errors)")
            let json = try answer.json()
            #expect(try SchemaFolder().faults(of: answer.output, by: "audit") == [])
            return json
        }

        @Test("it agrees with a ledger outside while workers are killed and stopped beyond their leases, jobs cancelled and timed out")
        func agrees() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--workers", "1", "--without", "sample-origin")
            try await scenario.gantry("limit", "set", "api", "2")
            let ledger = scenario.folder + "/ledger"
            // A job whose worker has died runs alone at one at first, so there are two for that.
            var workers: [Running] = []
            for name in ["one", "two", "three", "four", "five"] { workers.append(try await worker(scenario, name)) }
            func submit(_ argument: Int, _ count: Int, _ more: String...) async throws -> [String] {
                let words = ["job", "submit", "stamp", "--argument", String(argument), "--count", String(count), "--limit", "api"]
                return try await scenario.run(words + more).lines
            }
            var ends: [Int32: Int64] = [:]
            let long = try await submit(600_000, 2)
            func starts(of job: String) async throws -> Int {
                _ = try await scenario.gantry("job", "show", job)
                let lines = try String(contentsOfFile: ledger, encoding: .utf8).split(separator: "\n")
                return lines.count { $0.hasPrefix("start \(job) ") }
            }
            for job in long { try await scenario.settles("a run of \(job)") { try await starts(of: job) == 1 } }
            let holders = try await scenario.gantry("worker", "list", "--output", "json").items()
            func holder(_ job: String) async throws -> Running? {
                let name = try await scenario.gantry("job", "show", job, "--output", "json").json()["worker"] as? String
                let number = holders.first { $0["name"] as? String == name }?["processID"] as? Int
                return workers.first { Int($0.process.rawValue) == number }
            }
            // One is killed while it runs a job, another one stopped until the kernel ends it behind its lease.
            let killed = try #require(try await holder(long[0]))
            let waiting = try await submit(300, 8)
            ends[killed.process.rawValue] = SystemClock.bootNanoseconds()
            killed.send(.kill)
            _ = try await killed.exit()
            try await scenario.settles("a run elsewhere") { try await holder(long[0])?.process != killed.process }
            let stopped = try #require(try await holder(long[1]))
            // Whatever a stopped process has begun does nothing from then on.
            ends[stopped.process.rawValue] = SystemClock.bootNanoseconds()
            stopped.send(.stop)
            #expect(try await stopped.exit() == .signaled(.kill))
            for job in long { try await scenario.settles("another run of \(job)") { try await starts(of: job) == 2 } }
            for job in long { try await scenario.gantry("job", "cancel", job) }
            let late = try await submit(600_000, 2, "--attempt-timeout", "200ms", "--attempts", "1")
            for job in waiting { try await scenario.gantry("job", "wait", job, "--timeout", "60s") }
            for job in late { _ = try await scenario.run(["job", "wait", job, "--timeout", "60s"]) }

            let known = try outside(ledger, ends: ends)
            let json = try await audit(scenario, "api", "--svg", scenario.folder + "/audit.svg")
            let limit = try #require((json["limits"] as? [[String: Any]])?.first)
            #expect(json["state"] as? String == "held" && limit["mostRunning"] as? Int == 2 && known.most == 2, "\(json)")
            #expect(limit["attempts"] as? Int == known.starts && (json["unclosed"] as? [Any])?.isEmpty == true, "\(json) \(known)")
            let picture = try String(contentsOfFile: scenario.folder + "/audit.svg", encoding: .utf8)
            #expect(picture.hasPrefix("<svg ") && picture.contains("api: held, at most 2 of 2 permits at once"))
            try XMLCheck.check(picture)

            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
            for worker in workers { worker.send(.kill) }
            // Without a front it says the same, and one changed byte ends it.
            #expect(try await audit(scenario)["state"] as? String == "held")
            let text = try await scenario.gantry("limit", "audit").output
            #expect(text.contains("api") && text.contains("held") && text.contains("The audit counts permits from"), "\(text)")
            let unknown = try await scenario.gantry("limit", "audit", "apo", code: 6)
            #expect(unknown.errors.contains("gantry limit audit api"), "\(unknown.errors)")
            let folder = scenario.data + "/audit"
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).sorted().last { $0.hasPrefix("worker") })
            var bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
            bytes[bytes.count / 2] ^= 1
            try bytes.write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            let broken = try await scenario.gantry("limit", "audit", code: 9)
            #expect(broken.errors.contains("\(folder)/\(name), line "), "\(broken.errors)")
        }

        @Test("a job whose start cannot be recorded does not run and says why, and runs when it can be")
        func unrecorded() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--workers", "2", "--without", "sample-origin")
            let none = try await scenario.gantry("limit", "audit").output
            #expect(none.contains("no job with limits has begun in that time"), "\(none)")
            // Where no folder is, nothing is known: a wrong name must not pass as proof.
            let nowhere = try await scenario.gantry("limit", "audit", "--data", scenario.data + "-nowhere", code: 6)
            #expect(nowhere.errors.contains("there is no folder \(scenario.data)-nowhere"), "\(nowhere.errors)")
            let unwritten = try await scenario.gantry("limit", "audit", "--svg", scenario.data + "/none/picture.svg", code: 73)
            #expect(unwritten.errors.contains("picture.svg") && !unwritten.errors.contains("NSCocoaErrorDomain"), "\(unwritten.errors)")
            try await scenario.gantry("limit", "set", "api", "2")
            let folder = scenario.data + "/audit"
            try Data().write(to: URL(fileURLWithPath: folder))
            let job = try await scenario.gantry("job", "submit", "noop", "--limit", "api").lines[0]
            let slow = try await scenario.gantry("job", "submit", "sleep", "--argument", "1", "--limit", "api").lines[0]
            for job in [job, slow] {
                try await scenario.settles("a reason") {
                    try await scenario.gantry("job", "show", job).output.contains("its start could not be recorded: ")
                }
                let shown = try await scenario.gantry("job", "show", job, "--output", "json").json()
                #expect(shown["attempts"] as? Int ?? 0 <= 1 && ["waiting", "running"].contains(shown["state"] as? String), "\(shown)")
            }
            #expect(try await scenario.gantry("limit", "audit", code: 73).errors.contains(folder))
            try FileManager.default.removeItem(atPath: folder)
            for job in [job, slow] { try await scenario.gantry("job", "wait", job, "--timeout", "60s") }
            let json = try await audit(scenario, "--since", "1h")
            #expect((json["limits"] as? [[String: Any]])?.first?["attempts"] as? Int == 2, "\(json)")
            #expect(up.errors.contains("gives jobs with limits back"))
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
        }
    }
}

/// Whether a text is well-formed XML.
enum XMLCheck {
    static func check(_ text: String) throws {
        var open: [Substring] = []
        for part in text.split(separator: "<").map({ $0.prefix { $0 != ">" } }) {
            let name = part.prefix { $0 != " " && $0 != "/" }
            if part.hasPrefix("/") {
                #expect(open.popLast() == part.dropFirst())
            } else if !part.hasSuffix("/") {
                open.append(name)
            }
        }
        #expect(open.isEmpty)
    }
}
