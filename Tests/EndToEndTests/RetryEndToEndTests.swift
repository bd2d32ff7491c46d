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
            #expect((failure["message"] as? String)?.contains("the attempt took longer than its time-out of 0.1 s") == true, "\(failure)")
            let counts = try await scenario.gantry("status", "--output", "json").json()["counts"] as? [String: Any]
            #expect(counts?["retriedTotal"] as? Int == 1)
            for wrong in ["0s", "31d", "soon"] {
                let refused = try await scenario.gantry("job", "submit", "noop", "--attempt-timeout", wrong, code: 64)
                #expect(refused.errors.contains("--attempt-timeout"), "\(refused.errors)")
            }
            #expect(!up.errors.contains("ended by"))
        }

        @Test("a loader's rule says how often its jobs are tried, by failure code, and what a job says for itself goes before it")
        func rules() async throws {
            let scenario = try Scenario()
            func write(_ copies: String) throws {
                try scenario.write(
                    "gantry.yaml",
                    """
                    version: 1
                    loaders:
                      sleep:
                        retry: { attempts: 2, back-off: 10ms, longest: 20ms }
                        codes: { timedOut: { attempts: 4 }, unreachable: never }
                      copy-file: \(copies)
                    feeds: { notes: { source: none, editable: true, item: { id: /id, title: /title } } }
                    """)
            }
            try write("{ retry: { attempts: 3, back-off: 10ms }, codes: { loaderFailed: never } }")
            let up = try await scenario.serve("up", "--without", "sample-origin")
            let worker = try await scenario.start(program: Scenario.programs + "/WorkerExample", [scenario.data])
            func attempts(_ words: String..., code: Int32) async throws -> Int? {
                let ended = try await scenario.run(["job", "submit"] + words + ["--wait", "--output", "json"])
                #expect(ended.code == code, "\(words) \(ended.output) \(ended.errors)")
                return (try ended.json()["items"] as? [[String: Any]])?.first?["attempts"] as? Int
            }
            // A time-out is tried as often as is said of that.
            let slow = ["sleep", "--argument", "60000", "--attempt-timeout", "50ms"]
            #expect(try await attempts(slow[0], slow[1], slow[2], slow[3], slow[4], code: 5) == 4)
            #expect(try await attempts(slow[0], slow[1], slow[2], slow[3], slow[4], "--retry-code", "timedOut=2", code: 5) == 2)
            #expect(try await attempts(slow[0], slow[1], slow[2], slow[3], slow[4], "--attempts", "3", code: 5) == 3)
            // The example copies to /tmp, and fails where the name is taken.
            let name = "gantry-rules-\(UUID())"
            try scenario.write(name, "content")
            #expect(FileManager.default.createFile(atPath: "/tmp/\(name)", contents: nil))
            defer { for path in ["/tmp/\(name)", "/tmp/\(name).draft"] { try? FileManager.default.removeItem(atPath: path) } }
            let copy = ["copy-file", "--argument", #"{"path":"\#(scenario.folder)/\#(name)"}"#]
            #expect(try await attempts(copy[0], copy[1], copy[2], code: 3) == 1)
            #expect(try await attempts(copy[0], copy[1], copy[2], "--attempts", "5", code: 3) == 1)
            #expect(try await attempts(copy[0], copy[1], copy[2], "--retry-code", "loaderFailed=2", code: 3) == 2)

            // The rule is fixed at acceptance: a front with another file changes no job that is known.
            let kept = try await scenario.gantry("job", "submit", "copy-file", "--argument", copy[2], "--delay", "1h").output
            let retry = try #require(try await scenario.gantry("job", "show", kept, "--output", "json").json()["retry"] as? [String: Any])
            #expect(retry["attempts"] as? Int == 3 && retry["backOffSeconds"] as? Double == 0.01, "\(retry)")
            #expect((retry["codes"] as? [[String: Any]])?.first?["code"] as? String == "loaderFailed", "\(retry)")
            #expect(try await scenario.gantry("job", "explain", kept).output.contains("never again after loaderFailed"))
            worker.send(.interrupt)
            #expect(try await worker.exit() == .exited(code: 0))
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
            try write("{ retry: { attempts: 9 } }")
            let next = try await scenario.serve("up", "--without", "sample-origin")
            let rule = "3 attempts, random pauses up to 0.01 s, doubling, at most 10 min, never again"
            #expect(try await scenario.gantry("job", "explain", kept).output.contains(rule))
            next.send(.interrupt)
            #expect(try await next.exit() == .exited(code: 0))
            try write("{ codes: { loaderFaild: never } }")
            let wrong = try await scenario.gantry("front", code: 78)
            #expect(wrong.errors.contains("gantry.yaml:6: codes of loader copy-file: there is no failure code \"loaderFaild\""))
            #expect(wrong.errors.contains("did you mean \"loaderFailed\"?"), "\(wrong.errors)")
        }

        @Test("a run whose worker was killed is shown with its worker, also when the front is killed after it")
        func killed() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            let job = try await scenario.gantry("job", "submit", "sleep", "--argument", "600000").output
            func show() async throws -> [String: Any] { try await scenario.gantry("job", "show", job, "--output", "json").json() }
            try await scenario.settles("a run") { try await show()["worker"] != nil }
            let name = try #require(try await show()["worker"] as? String)
            #expect(try await scenario.gantry("job", "show", job).output.contains("run 1 at \(name) since "))
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
            #expect(explained.contains("run 1 at \(name) from ") && explained.contains(": crashed, which counts"), "\(explained)")
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
            #expect(try await scenario.gantry("job", "show", job).output.contains("\n  run 1 at "))
            #expect(explained.contains("3 attempts, pauses of 1 h"), "\(explained)")

            // What the loader wrote is there, too, though that front never heard of it.
            let line = "copies \(scenario.folder)/\(name)"
            func lines() async throws -> [String] {
                (try await show()["log"] as? [[String: Any]])?.compactMap { $0["text"] as? String } ?? []
            }
            #expect(try await lines() == [line])
            #expect(try await scenario.gantry("job", "show", job).output.contains("log: 1 line, see `gantry job show \(job) --log`"))
            #expect(try await scenario.gantry("job", "show", job, "--log").output.contains(" run 1: \(line)"))

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
            #expect(try await scenario.gantry("job", "explain", once).output.contains("gantry job retry \(once)"))
            let again = try await scenario.gantry("job", "retry", once, "--wait", "--output", "json").json()
            let new = try #require((again["items"] as? [[String: Any]])?.first)
            #expect(new["state"] as? String == "succeeded" && new["retryOf"] as? String == once && new["attempts"] as? Int == 1, "\(again)")
            // A second repetition is made by nobody who has not said so.
            let twice = try await scenario.gantry("job", "retry", once, code: 9).errors
            #expect(twice.contains("repeats job \(once) already") && twice.contains("gantry job retry \(once) --again"), "\(twice)")
            #expect(try await !scenario.gantry("job", "explain", once).output.contains("gantry job retry"))
            try FileManager.default.removeItem(atPath: taken)
            try await scenario.gantry("job", "retry", once, "--again", "--wait")
            #expect(try await scenario.gantry("job", "list", "--loader", "copy-file", "--output", "json").items().count == 4)
            #expect(up.errors.contains("ended by signal 9"))
            worker.send(.interrupt)
            #expect(try await worker.exit() == .exited(code: 0))
        }
    }
}
