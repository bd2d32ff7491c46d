//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEnd {
    /// What `gantry up` promises: parts come back, and stopping loses nothing.
    @Suite("Up", .serialized, .timeLimit(.minutes(10)))
    struct UpTests {
        /// `up` with everything that it says to people on its lines.
        private func talking(_ scenario: Scenario, _ options: String = "--without sample-origin") async throws -> Running {
            try await scenario.start(program: "/bin/sh", ["-c", "exec gantry up \(options) --ready-fd 1 --parent $PPID 2>&1"])
        }

        private func ready(_ up: Running) async throws { _ = try await up.line("ready") { $0.contains("\"event\":\"ready\"") } }

        private func job(_ scenario: Scenario, _ id: String) async throws -> [String: Any] {
            try await scenario.gantry("job", "show", id, "--output", "json").json()
        }

        @Test("Ctrl-C lets running jobs end and their outcomes reach the front: after the next start the job has been done once")
        func stages() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            let id = try await scenario.gantry("job", "submit", "sleep", "--argument", "2000").output
            try await scenario.waitUntilRunning(id)
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
            let again = try await scenario.serve("up", "--without", "sample-origin")
            let ended = try await job(scenario, id)
            #expect(ended["state"] as? String == "succeeded" && ended["attempts"] as? Int == 1, "\(ended)")
            again.send(.interrupt)
            #expect(try await again.exit() == .exited(code: 0))
        }

        @Test("a long job survives more Ctrl-Cs than it may survive deaths, and none of them counts against it")
        func drainsAreNoDeaths() async throws {
            let scenario = try Scenario()
            var up = try await scenario.serve("up", "--without", "sample-origin", "--workers", "1")
            let id = try await scenario.gantry("job", "submit", "sleep", "--argument", "600000").output
            for _ in 0..<4 {
                try await scenario.waitUntilRunning(id)
                up.send(.interrupt)
                #expect(try await up.exit() == .exited(code: 0))
                up = try await scenario.serve("up", "--without", "sample-origin", "--workers", "1")
            }
            try await scenario.waitUntilRunning(id)
            let shown = try await job(scenario, id)
            #expect(shown["crashCount"] as? Int == 0 && shown["state"] as? String == "running", "\(shown)")
            up.send(.interrupt)
            up.send(.terminate)
            #expect(try await up.exit() == .exited(code: 0))
        }

        @Test("a worker that is killed while it drains is not started again")
        func killedWhileDraining() async throws {
            let scenario = try Scenario()
            let up = try await talking(scenario, "--without sample-origin --workers 1")
            try await ready(up)
            let id = try await scenario.gantry("job", "submit", "sleep", "--argument", "600000").output
            try await scenario.waitUntilRunning(id)
            let worker = try #require(try await scenario.gantry("worker", "list", "--output", "json").items().first)
            let (name, number) = (try #require(worker["name"] as? String), try #require(worker["processID"] as? Int))
            try await scenario.gantry("worker", "drain", name, "--no-wait")
            _ = try await up.line("the drain") { $0.contains("draining, as somebody asked the front") }
            try ProcessControl.send(.kill, to: try #require(ProcessID(rawValue: Int32(number))))
            _ = try await up.line("its end") { $0.contains("ended by signal 9 while it drained and is not started again") }
            let left = try await scenario.gantry("worker", "list", "--output", "json").items()
            #expect(!left.contains { $0["processID"] as? Int != number }, "\(left)")
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
        }

        @Test("a front that is killed again and again is always started again")
        func neverGivesUp() async throws {
            let scenario = try Scenario()
            let up = try await talking(scenario)
            try await ready(up)
            for _ in 0..<6 {
                try ProcessControl.send(.kill, to: scenario.frontProcess())
                _ = try await up.line("its end") { $0.hasPrefix("front: ended by signal 9; started again in ") }
                _ = try await up.line("its return") { $0.hasPrefix("front: ready") }
            }
            try await scenario.gantry("job", "submit", "noop", "--wait")
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
        }

        @Test("a part that dies comes back with the configuration of the others, whatever has become of the file since")
        func changedFile() async throws {
            let scenario = try Scenario()
            try scenario.write("other.yaml", "version: 1\n")
            try scenario.write("gantry.yaml", "version: 1\nslots: 3\nworkers: 1\n")
            let up = try await talking(scenario)
            try await ready(up)
            for text in ["version: 1\nslots: 5\n", "version: 1\nslots: [5\n", nil] {
                let path = "\(scenario.folder)/gantry.yaml"
                if let text { try scenario.write("gantry.yaml", text) } else { try FileManager.default.removeItem(atPath: path) }
                let worker = try await scenario.gantry("worker", "list", "--output", "json").items().first
                let number = try #require((worker?["processID"] as? Int).flatMap { ProcessID(rawValue: Int32($0)) })
                for (part, process) in [("worker-1", number), ("front", try scenario.frontProcess())] {
                    try ProcessControl.send(.kill, to: process)
                    _ = try await up.line("its end") { $0.hasPrefix("\(part): ended by signal 9; started again in ") }
                    _ = try await up.line("its return") { $0.hasPrefix("\(part): ready") }
                }
                try await scenario.gantry("job", "submit", "noop", "--wait")
                let slots = try await scenario.gantry("worker", "list", "--output", "json").items().compactMap { $0["slots"] as? Int }
                #expect(slots == [3], "after \(text ?? "its removal")")
                let answered = try await scenario.gantry("doctor", "--config", "other.yaml").output
                #expect(answered.contains("with 3 slots") && answered.contains("/gantry.yaml"), "\(answered)")
            }
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
        }

        @Test("what a restart cannot heal ends up at once, with its code and one message that names the other front")
        func secondFront() async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            // The port of an origin that runs already is not what is named.
            let (other, ready) = try await scenario.serve(["sample-origin", "--port", "0"])
            let port = String(try #require(ready["port"] as? Int))
            let answer = try await scenario.gantry("up", "--sample-origin-port", port, code: 9)
            other.send(.terminate)
            _ = try await other.exit()
            let words = answer.errors
            #expect(words.contains("another front (process \(front.process)) works on \(scenario.data)"), "\(words)")
            #expect(words.components(separatedBy: "error:").count == 2 && words.components(separatedBy: "next:").count == 2, "\(words)")
            #expect(words.components(separatedBy: "--data").count == 2 && !words.contains("started again"), "\(words)")
            front.send(.terminate)
            _ = try await front.exit()
        }

        @Test("Ctrl-C works while parts start, and a second one ends everything at once")
        func stopWhileStarting() async throws {
            let scenario = try Scenario()
            let up = try await talking(scenario)
            _ = try await up.line("the front") { $0.hasPrefix("front: ready") }
            // A front that stands still takes no worker, so the workers do not become ready; and it does not end when it is asked to.
            let front = try scenario.frontProcess()
            try ProcessControl.send(.stop, to: front)
            up.send(.interrupt)
            _ = try await up.line("the stop") { $0.hasPrefix("stopping: running jobs have 5 s") }
            up.send(.terminate)
            _ = try await up.line("the second stop") { $0.hasPrefix("stopping now") }
            #expect(try await up.exit() == .exited(code: 0))
            #expect(!FileManager.default.fileExists(atPath: "/proc/\(front)"))
            // Its folder goes with it, and without a folder the front would end by itself.
            withExtendedLifetime(scenario) {}
        }

        @Test("parts are started without backtraces, which would hold a crashed one up for seconds")
        func backtrace() async throws {
            let scenario = try Scenario()
            let up = try await talking(scenario)
            try await ready(up)
            let environment = FileManager.default.contents(atPath: "/proc/\(try scenario.frontProcess())/environ") ?? Data()
            let variables = environment.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            #expect(variables.contains { $0 == "SWIFT_BACKTRACE=enable=no" })
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("the parts are found by the program's name and by that of their command")
        func names() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin", "--workers", "1")
            let workers = try await scenario.gantry("worker", "list", "--output", "json").items()
            let worker = try #require(workers.first?["processID"] as? Int)
            for (number, part) in [(Int(try scenario.frontProcess().rawValue), "front"), (worker, "worker")] {
                let name = try String(contentsOfFile: "/proc/\(number)/comm", encoding: .utf8)
                let command = FileManager.default.contents(atPath: "/proc/\(number)/cmdline") ?? Data()
                let words = command.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
                #expect(name == "gantry\n" && words.joined(separator: " ").contains("/gantry \(part) "), "\(name) \(words)")
            }
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
        }

        @Test("a front that crashes is ready again before a backtrace of it could have been written")
        func crash() async throws {
            let scenario = try Scenario()
            let up = try await talking(scenario)
            try await ready(up)
            let crashed = ContinuousClock.now
            try ProcessControl.send(Signal(rawValue: SIGABRT), to: scenario.frontProcess())
            _ = try await up.line("its end") { $0.hasPrefix("front: ended by signal 6; started again in ") }
            _ = try await up.line("its return") { $0.hasPrefix("front: ready") }
            #expect(ContinuousClock.now - crashed < .seconds(4))
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
        }

        @Test("each worker has the memory that up was given for it")
        func memory() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin", "--workers", "1", "--memory", "64MiB")
            let workers = try await scenario.gantry("worker", "list", "--output", "json").items()
            let number = try #require(workers.first?["processID"] as? Int)
            let command = FileManager.default.contents(atPath: "/proc/\(number)/cmdline") ?? Data()
            let words = command.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            #expect(words.firstIndex(of: "--memory").map { words[$0 + 1] } == "64MiB", "\(words)")
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("numbers of workers and slots that run nothing are refused", arguments: ["--workers=0", "--workers=257", "--slots=0"])
        func numbers(option: String) async throws {
            let scenario = try Scenario()
            let answer = try await scenario.gantry("up", option, code: 64)
            #expect(answer.errors.contains("is 1 to") && answer.errors.contains("gantry up"), "\(answer.errors)")
        }

        @Test(
            "front, workers, origin and a client, or up and a client, that are started at the same instant on a fresh folder all do their work, 20 times"
        )
        func sameInstant() async throws {
            for _ in 0..<20 {
                let (apart, together) = (try Scenario(), try Scenario())
                try await withThrowingTaskGroup(of: Running?.self) { group in
                    group.addTask { try await apart.serve("front") }
                    for _ in 0..<6 { group.addTask { try await apart.serve("worker") } }
                    group.addTask { try await apart.serve("sample-origin", "--port", "0") }
                    group.addTask { try await together.serve("up", "--sample-origin-port", "0") }
                    for scenario in [apart, together] {
                        group.addTask {
                            try await scenario.gantry("job", "submit", "noop", "--wait", "--timeout", "60s")
                            return nil
                        }
                    }
                    var all: [Running] = []
                    for try await case let process? in group { all.append(process) }
                    #expect(all.count == 9)
                    for process in all { process.send(.kill) }
                }
            }
        }
    }
}
