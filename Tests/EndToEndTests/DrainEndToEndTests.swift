//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEnd {
    /// What becomes of running jobs whose worker drains: at workers outside of gantry (`ChaosWorker`), and at one of its own.
    @Suite("Jobs of a worker that drains", .serialized, .timeLimit(.minutes(10)))
    struct DrainEndToEndTests {
        private func worker(_ name: String, grace: String, _ scenario: Scenario) async throws -> Running {
            try await scenario.start(
                program: Scenario.programs + "/ChaosWorker",
                ["ipc://\(scenario.data)/run/workers", name, "3", scenario.folder + "/ledger", grace])
        }

        private func show(_ job: String, _ scenario: Scenario) async throws -> [String: Any] {
            try await scenario.gantry("job", "show", job, "--output", "json").json()
        }

        /// Submits a job that saves where it is and waits for ever, and whose next attempt ends at once; waits until it has saved.
        private func submitResuming(_ scenario: Scenario) async throws -> String {
            let job = try await scenario.gantry("job", "submit", "resume", "--argument", "page 3", "--attempts", "1").output
            try await scenario.settles("a saved state") {
                try await scenario.gantry("job", "explain", job).output.contains("has saved 6 bytes for its next attempt")
            }
            return job
        }

        /// The lines of the ledger about a job, without its number.
        private func ledger(of job: String, _ scenario: Scenario) throws -> [Substring] {
            let text = try String(contentsOfFile: scenario.folder + "/ledger", encoding: .utf8)
            return text.split(separator: "\n").map { $0.split(separator: " ") }.filter { $0.count > 1 && $0[1] == job }.map { $0[0] }
        }

        @Test("a signal ends jobs with the grace: one goes back uncounted and another worker runs it, of one the outcome is unknown")
        func signal() async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            let first = try await worker("first", grace: "500", scenario)
            let repeatable = try await submitResuming(scenario)
            let once = try await scenario.gantry("job", "submit", "stamp-once", "--argument", "600000").output
            try await scenario.settles("the other run") { try await show(once, scenario)["state"] as? String == "running" }
            first.send(.terminate)
            #expect(try await first.exit() == .exited(code: 0))
            let notice =
                "running jobs that may run again (1 now) go back to the queue at the end of the grace, and of the others (1 now) the outcome "
                + "is unknown then"
            #expect(first.errors.contains(notice), "\(first.errors)")

            let (ended, runs) = (try await show(once, scenario), try ledger(of: once, scenario))
            let failure = try #require(ended["failure"] as? [String: Any])
            #expect(ended["state"] as? String == "failed" && failure["code"] as? String == "outcomeUnknown", "\(ended)")
            #expect(ended["crashCount"] as? Int == 0 && runs == ["start", "stopped"], "\(ended) \(runs)")

            let waiting = try await show(repeatable, scenario)
            #expect(waiting["state"] as? String == "waiting" && waiting["crashCount"] as? Int == 0, "\(waiting)")
            let second = try await worker("second", grace: "500", scenario)
            let done = try await scenario.gantry("job", "wait", repeatable, "--output", "json")
            #expect(try done.json()["state"] as? String == "succeeded" && done.output.contains("page 3"), "\(done.output)")
            let counts = try await scenario.gantry("status", "--output", "json").json()["counts"] as? [String: Any]
            #expect(counts?["retriedTotal"] as? Int == 0)
            second.send(.terminate)
            #expect(try await second.exit() == .exited(code: 0))
            front.send(.interrupt)
            #expect(try await front.exit() == .exited(code: 0))
        }

        @Test("one signal is enough for gantry's own worker, which names the grace, says what happens at its end, and ends with code 0")
        func ownWorker() async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            let worker = try await scenario.start("worker", "--slots", "1", "--name", "first", "--grace", "300ms")
            let job = try await scenario.gantry("job", "submit", "sleep", "--argument", "600000").output
            try await scenario.settles("the run") { try await show(job, scenario)["state"] as? String == "running" }
            worker.send(.terminate)
            #expect(try await worker.exit() == .exited(code: 0))
            let notice =
                "running ones have 0.3 s to end; then those that may run again go back to the queue, and of the others the outcome is "
                + "unknown; Ctrl-C again stops them now"
            #expect(worker.errors.contains(notice) && worker.errors.contains("(1 now)"), "\(worker.errors)")
            #expect(!worker.errors.contains("ending:"), "\(worker.errors)")
            let shown = try await show(job, scenario)
            #expect(shown["state"] as? String == "waiting" && shown["crashCount"] as? Int == 0, "\(shown)")
            let wrong = try await scenario.run(["worker", "run", "--grace", "25h"])
            #expect(wrong.code == 64 && wrong.errors.contains("--grace is at most 24h"), "\(wrong.errors)")
            front.send(.interrupt)
            #expect(try await front.exit() == .exited(code: 0))
        }

        @Test("worker drain gives back what may run again at the end of the grace, and waits for other jobs up to their time-outs")
        func request() async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            let worker = try await worker("one", grace: "100", scenario)
            let repeatable = try await submitResuming(scenario)
            let once = try await scenario.gantry("job", "submit", "stamp-once", "--argument", "5000").output
            let late = try await scenario.gantry(
                "job", "submit", "stamp-once", "--argument", "600000", "--attempt-timeout", "4s"
            ).output
            try await scenario.settles("the other runs") {
                let states = [try await show(once, scenario), try await show(late, scenario)].map { $0["state"] as? String }
                return states == ["running", "running"]
            }
            let drained = try await scenario.gantry("worker", "drain", "one", "--timeout", "120s")
            #expect(drained.output.contains("one: has drained and ended"), "\(drained.output)")
            #expect(drained.errors.contains("jobs that still run at the end of its grace go back to the queue"), "\(drained.errors)")
            #expect(try await worker.exit() == .exited(code: 0))
            #expect(worker.errors.contains("draining, as somebody asked the front"), "\(worker.errors)")
            #expect(try await show(repeatable, scenario)["state"] as? String == "waiting")
            let (done, runs) = (try await show(once, scenario), try ledger(of: once, scenario))
            #expect(done["state"] as? String == "succeeded" && runs == ["start", "end"], "\(done) \(runs)")
            let failure = try #require(try await show(late, scenario)["failure"] as? [String: Any])
            #expect(failure["code"] as? String == "outcomeUnknown", "\(failure)")
            #expect((failure["message"] as? String)?.contains("the attempt took longer than its time-out of 4 s") == true, "\(failure)")
            front.send(.interrupt)
            #expect(try await front.exit() == .exited(code: 0))
        }
    }
}
