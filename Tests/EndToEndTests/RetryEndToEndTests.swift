//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEnd {
    /// Jobs of a worker outside of gantry, the example `WorkerExample`, that fail until what they lack is there.
    @Suite("Jobs that are tried again", .serialized, .timeLimit(.minutes(10)))
    struct RetryEndToEndTests {
        @Test("an attempt that takes too long is stopped, tried again, and at last fails with the code of a time-out")
        func timesOut() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            let submit = [
                "job", "submit", "sleep", "--argument", "60000", "--attempt-timeout", "100ms", "--attempts", "2", "--back-off", "10ms",
            ]
            let ended = try await scenario.run(submit + ["--wait", "--output", "json"])
            #expect(ended.code == 5, "\(ended.output) \(ended.errors)")
            let job = try #require((try ended.json()["items"] as? [[String: Any]])?.first)
            #expect(job["attempts"] as? Int == 2 && job["attemptTimeoutSeconds"] as? Double == 0.1, "\(job)")
            let failure = try #require(job["failure"] as? [String: Any])
            #expect(failure["code"] as? String == "timedOut", "\(failure)")
            #expect((failure["message"] as? String)?.contains("the attempt has taken longer than its 0.1 s") == true, "\(failure)")
            let counts = try await scenario.gantry("status", "--output", "json").json()["counts"] as? [String: Any]
            #expect(counts?["retriedTotal"] as? Int == 1)
            for wrong in ["0s", "31d", "soon"] {
                let refused = try await scenario.gantry("job", "submit", "noop", "--attempt-timeout", wrong, code: 64)
                #expect(refused.errors.contains("--attempt-timeout"), "\(refused.errors)")
            }
            #expect(!up.errors.contains("ended by"))
        }

        @Test("a run whose worker was killed is shown with its worker, also when the front is killed after it")
        func killed() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            let job = try await scenario.gantry("job", "submit", "sleep", "--argument", "600000").output
            func show() async throws -> [String: Any] { try await scenario.gantry("job", "show", job, "--output", "json").json() }
            try await scenario.settles("a run") { try await show()["worker"] != nil }
            let name = try #require(try await show()["worker"] as? String)
            #expect(try await scenario.gantry("job", "show", job).output.contains("attempt 1 at \(name) since "))
            let worker = try #require(
                try await scenario.gantry("worker", "list", "--output", "json").items().first { $0["name"] as? String == name })
            let process = try #require((worker["processID"] as? Int).flatMap { ProcessID(rawValue: Int32($0)) }, "\(worker)")
            try ProcessControl.send(.kill, to: process)
            try await scenario.settles("the end of the run") { try await show()["runs"] != nil }
            try ProcessControl.send(.kill, to: scenario.frontProcess())
            let run = try #require((try await show()["runs"] as? [[String: Any]])?.first)
            #expect(run["attempt"] as? Int == 1 && run["worker"] as? String == name, "\(run)")
            #expect(run["end"] as? String == "crashed", "\(run)")
            let explained = try await scenario.gantry("job", "explain", job).output
            #expect(explained.contains("attempt 1 at \(name) from ") && explained.contains(": crashed, which counts"), "\(explained)")
            try await scenario.gantry("job", "cancel", job)
            #expect(up.errors.contains("ended by signal 9"))
        }

        @Test("what a loader has saved is there for the job's next attempt, though its worker and the front are killed")
        func resumes() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            func worker(_ name: String) async throws -> Running {
                try await scenario.start(
                    program: Scenario.programs + "/ChaosWorker",
                    ["ipc://\(scenario.data)/run/workers", name, "2", scenario.folder + "/ledger"])
            }
            let first = try await worker("first")
            let job = try await scenario.gantry("job", "submit", "resume", "--argument", "page 3", "--any-loader").output
            try await scenario.settles("a saved state") {
                try await scenario.gantry("job", "explain", job).output.contains("has saved 6 bytes for its next attempt")
            }
            first.send(.kill)
            try ProcessControl.send(.kill, to: scenario.frontProcess())
            let second = try await worker("second")
            let ended = try await scenario.gantry("job", "wait", job, "--output", "json")
            #expect(ended.output.contains("page 3"), "\(ended.output)")
            let json = try ended.json()
            #expect(json["state"] as? String == "succeeded" && json["attempts"] as? Int == 2, "\(json)")
            #expect(try await scenario.gantry("job", "explain", job).output.contains("has saved") == false)
            second.send(.terminate)
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
        }

        @Test("a job that fails waits for its next attempt, also if the front is killed meanwhile, and ends when it succeeds")
        func retries() async throws {
            let scenario = try Scenario()
            let name = "gantry-retry-\(UUID())"
            let taken = "/tmp/\(name)"
            try scenario.write(name, "content")
            // The example copies to /tmp, and fails where the name is taken.
            #expect(FileManager.default.createFile(atPath: taken, contents: nil))
            defer { for path in [taken, taken + ".draft"] { try? FileManager.default.removeItem(atPath: path) } }
            let up = try await scenario.serve("up", "--without", "sample-origin")
            let worker = try await scenario.start(program: Scenario.programs + "/WorkerExample", [scenario.data])
            let argument = #"{"path":"\#(scenario.folder)/\#(name)"}"#
            let once = try await scenario.gantry("job", "submit", "copy-file", "--argument", argument, "--attempts", "1").output
            #expect(try await scenario.gantry("job", "wait", once, code: 3).output.contains("failed"))

            let job = try await scenario.gantry(
                "job", "submit", "copy-file", "--argument", argument, "--attempts", "3", "--back-off", "1h", "--no-jitter"
            ).output
            func show() async throws -> [String: Any] { try await scenario.gantry("job", "show", job, "--output", "json").json() }
            try await scenario.settles("a failed attempt") { try await show()["state"] as? String == "scheduled" }
            try ProcessControl.send(.kill, to: scenario.frontProcess())
            let shown = try await show()
            #expect(shown["state"] as? String == "scheduled" && shown["attempts"] as? Int == 1, "\(shown)")
            #expect((shown["waitReason"] as? [String: Any])?["reason"] as? String == "backedOff", "\(shown)")
            #expect((shown["failure"] as? [String: Any])?["code"] as? String == "loaderFailed", "\(shown)")
            let explained = try await scenario.gantry("job", "explain", job).output
            #expect(explained.contains(": failed, loaderFailed: loader copy-file failed with"), "\(explained)")
            let first = try #require((shown["runs"] as? [[String: Any]])?.first)
            #expect(first["attempt"] as? Int == 1 && first["end"] as? String == "failed" && first["worker"] != nil, "\(shown)")
            #expect(first["code"] as? String == "loaderFailed" && first["startedAt"] != nil && first["endedAt"] != nil, "\(shown)")
            #expect(try await scenario.gantry("job", "show", job).output.contains("\n  attempt 1 at "))
            #expect(explained.contains("3 attempts, back-off 3600 s to 3600 s without jitter"), "\(explained)")

            // What the loader wrote is there, too, though that front never heard of it.
            let line = "copies \(scenario.folder)/\(name)"
            func lines() async throws -> [String] {
                (try await show()["log"] as? [[String: Any]])?.compactMap { $0["text"] as? String } ?? []
            }
            #expect(try await lines() == [line])
            #expect(try await scenario.gantry("job", "show", job).output.contains("log: 1 line, see `gantry job show \(job) --log`"))
            #expect(try await scenario.gantry("job", "show", job, "--log").output.contains(" attempt 1: \(line)"))

            try FileManager.default.removeItem(atPath: taken)
            try await scenario.gantry("job", "promote", job)
            let ended = try await scenario.gantry("job", "wait", job, "--output", "json").json()
            #expect(ended["state"] as? String == "succeeded" && ended["attempts"] as? Int == 2 && ended["failure"] == nil, "\(ended)")
            #expect((try await show()["runs"] as? [[String: Any]])?.compactMap { $0["end"] as? String } == ["failed", "succeeded"])
            #expect(try await lines() == [line, line])
            let running = try await scenario.gantry("job", "retry", job, code: 9)
            #expect(running.errors.contains("job \(job) has succeeded: submit it anew"), "\(running.errors)")
            try FileManager.default.removeItem(atPath: taken)
            // Nothing is submitted where one of the jobs cannot be.
            _ = try await scenario.gantry("job", "retry", once, job, code: 9)
            #expect(try await scenario.gantry("job", "explain", once).output.contains("again: gantry job retry \(once)"))
            let again = try await scenario.gantry("job", "retry", once, "--wait", "--output", "json").json()
            let new = try #require((again["items"] as? [[String: Any]])?.first)
            #expect(new["state"] as? String == "succeeded" && new["retryOf"] as? String == once && new["attempts"] as? Int == 1, "\(again)")
            #expect(try await scenario.gantry("job", "list", "--loader", "copy-file", "--output", "json").items().count == 3)
            #expect(up.errors.contains("ended by signal 9"))
            worker.send(.interrupt)
            #expect(try await worker.exit() == .exited(code: 0))
        }
    }
}
