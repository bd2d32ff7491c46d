//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEnd {
    /// Jobs that end by the time, and work that does not stop, at workers outside of gantry (`ChaosWorker`).
    @Suite("Jobs that end in time", .serialized, .timeLimit(.minutes(10)))
    struct EndingEndToEndTests {
        private func worker(_ name: String, _ scenario: Scenario) async throws -> Running {
            try await scenario.start(
                program: Scenario.programs + "/ChaosWorker", ["ipc://\(scenario.data)/run/workers", name, "2", scenario.folder + "/ledger"])
        }

        private func show(_ job: String, _ scenario: Scenario) async throws -> [String: Any] {
            try await scenario.gantry("job", "show", job, "--output", "json").json()
        }

        @Test("a job that has not started by its time expires, also over a kill of the front; what cannot be is refused before it is sent")
        func expires() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--workers", "1", "--without", "sample-origin")
            try await scenario.gantry("loader", "pause", "sleep")
            let waits = try await scenario.gantry("job", "submit", "sleep", "--argument", "1", "--expires", "6s").output
            let delayed = try await scenario.gantry("job", "submit", "noop", "--delay", "1500ms", "--expires", "1h").output
            let shown = try await show(waits, scenario)
            #expect(shown["expiresAt"] is String && shown["state"] as? String == "waiting", "\(shown)")
            try ProcessControl.send(.kill, to: scenario.frontProcess())
            let ended = try await scenario.gantry("job", "wait", waits, "--timeout", "60s", code: 5)
            #expect(ended.output.contains("sleep expired"), "\(ended.output)")
            #expect(
                ended.errors.contains("before it started") && ended.errors.contains("next:  gantry job retry \(waits)"), "\(ended.errors)")
            try await scenario.gantry("job", "wait", delayed)
            let explained = try await scenario.gantry("job", "explain", waits).output
            #expect(explained.contains("expires at 20") && explained.contains(" unless started"), "\(explained)")
            #expect(
                explained.contains("expired: it had not started by then") && explained.contains("again: gantry job retry"), "\(explained)")
            let counts = try await scenario.gantry("status", "--output", "json").json()["counts"] as? [String: Any]
            #expect(counts?["expired"] as? Int == 1 && counts?["failed"] as? Int == 0)
            #expect(try await scenario.gantry("job", "list", "--state", "expired").output.contains("expired"))
            try await scenario.gantry("loader", "resume", "sleep")
            let again = try await scenario.gantry("job", "retry", waits, "--wait", "--output", "json").items().first
            #expect(again?["state"] as? String == "succeeded" && again?["expiresAt"] == nil && again?["retryOf"] as? String == waits)
            for (words, text) in [
                (["--expires", "2020-01-01T00:00:00Z"], "choose a later time to expire at"),
                (["--expires", "soon"], "neither a length like 10m"),
                (["--expires", "2999-01-01T00:00:00Z"], "choose an earlier time"),
                (["--expires", "10m", "--delay", "1h"], "let it expire later"),
                (["--total-timeout", "31d"], "1 ms to 30 days in all"),
            ] {
                let wrong = try await scenario.run(["job", "submit", "sleep"] + words)
                #expect(wrong.code == 64 && wrong.errors.contains(text), "\(words): \(wrong.errors)")
            }
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("a job that has had its total time fails for good: a waiting one at once, a running one as soon as it has stopped")
        func totalTime() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--workers", "1", "--without", "sample-origin")
            let submit = ["job", "submit", "sleep", "--argument", "60000", "--total-timeout", "400ms"]
            let running = try await scenario.run(submit + ["--wait", "--output", "json"])
            let job = try #require(try running.items().first)
            #expect(running.code == 5 && job["attempts"] as? Int == 1 && job["totalTimeoutSeconds"] as? Double == 0.4, "\(job)")
            let failure = try #require(job["failure"] as? [String: Any])
            #expect(failure["code"] as? String == "timedOut" && failure["retryable"] as? Bool == false, "\(failure)")
            #expect((failure["message"] as? String)?.contains("the job was not done within its total time-out") == true, "\(failure)")
            try await scenario.gantry("loader", "pause", "sleep")
            let waiting = try await scenario.run(submit + ["--wait", "--output", "json"])
            let other = try #require(try waiting.items().first)
            #expect(waiting.code == 5 && other["attempts"] as? Int == 0, "\(other)")
            let message = (other["failure"] as? [String: Any])?["message"] as? String
            #expect(message?.contains("was not done within its total time-out of 0.4 s") == true, "\(other)")
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("work that spins for ever ends its worker, and the jobs beside it end as if nothing were; nothing counts as a crash")
        func spins() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--workers", "1", "--without", "sample-origin")
            let first = try await worker("one", scenario)
            let beside = try await scenario.gantry("job", "submit", "stamp-once", "--argument", "4000").output
            try await scenario.settles("the run") { try await show(beside, scenario)["state"] as? String == "running" }
            let spin = try await scenario.gantry(
                "job", "submit", "spin", "--argument", "600000", "--attempt-timeout", "300ms", "--attempts", "1"
            )
            .output
            // The kernel ends it: nothing else could.
            let exit = try await first.exit()
            #expect("\(exit)".contains("9"), "\(exit)")
            let ended = try await scenario.gantry("job", "wait", spin, "--timeout", "60s", "--output", "json", code: 5).json()
            let failure = try #require(ended["failure"] as? [String: Any])
            #expect(failure["code"] as? String == "timedOut" && ended["crashCount"] as? Int == 0, "\(ended)")
            let done = try await show(beside, scenario)
            #expect(done["state"] as? String == "succeeded" && done["crashCount"] as? Int == 0 && done["attempts"] as? Int == 1, "\(done)")

            let second = try await worker("two", scenario)
            let cancelled = try await scenario.gantry("job", "submit", "spin", "--argument", "600000").output
            try await scenario.settles("the run") { try await show(cancelled, scenario)["state"] as? String == "running" }
            let receipt = try await scenario.gantry("job", "cancel", cancelled, "--output", "json").json()
            #expect("\(receipt)".contains("endingAt"), "\(receipt)")
            #expect(try await show(cancelled, scenario)["state"] as? String == "cancelled")
            _ = try await second.exit()
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("the process that a job has for itself is killed when its loader does not stop, and its worker goes on")
        func ownProcess() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--workers", "1", "--without", "sample-origin")
            let worker = try await worker("one", scenario)
            let job = try await scenario.gantry("job", "submit", "child", "--argument", "600").output
            try await scenario.settles("the run") { try await show(job, scenario)["state"] as? String == "running" }
            let cancel = try await scenario.gantry("job", "cancel", job)
            // How far it has come is said as `job show` says it; whoever looks late sees the last step alone.
            let steps = ["its loader was asked to stop", "the process that it runs in was killed"]
            #expect(steps.contains { cancel.errors.contains($0) }, "\(cancel.errors)")
            let receipt = try await show(job, scenario)
            #expect("\(receipt)".contains("killedAt") && !"\(receipt)".contains("endingAt"), "\(receipt)")
            // The same worker takes the next job.
            #expect(try await scenario.gantry("job", "submit", "stamp", "--argument", "1", "--wait").output.contains("\(worker.process)"))
            worker.send(.terminate)
            _ = try await worker.exit()
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("a loader asks to be run again later without a used attempt, which is counted and shown, or never again")
        func snoozes() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--workers", "1", "--without", "sample-origin")
            let worker = try await worker("one", scenario)
            let job = try await scenario.gantry(
                "job", "submit", "later", "--argument", "3", "--attempts", "1", "--wait", "--output", "json"
            ).items()
                .first
            #expect(
                job?["state"] as? String == "succeeded" && job?["snoozeCount"] as? Int == 3 && job?["attempts"] as? Int == 1,
                "\(job ?? [:])")
            #expect(job?["result"] as? String == "attempt 1 after 3 snoozes")
            let id = try #require(job?["id"] as? String)
            let explained = try await scenario.gantry("job", "explain", id).output
            #expect(explained.contains("snoozed 3 times by its loader, which uses up no attempt"), "\(explained)")
            let never = try await scenario.gantry("job", "submit", "later", "--argument", "never", "--wait", "--output", "json", code: 3)
                .items().first
            #expect(never?["attempts"] as? Int == 1 && never?["state"] as? String == "failed", "\(never ?? [:])")
            let counts = try await scenario.gantry("status", "--output", "json").json()["counts"] as? [String: Any]
            #expect(counts?["snoozedTotal"] as? Int == 3 && counts?["retriedTotal"] as? Int == 0)
            worker.send(.terminate)
            _ = try await worker.exit()
            up.send(.interrupt)
            _ = try await up.exit()
        }
    }
}
