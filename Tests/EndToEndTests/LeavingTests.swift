//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEndCommands {
    /// Ends that a user wished, and ends of a wait.
    @Suite("Leaving and waiting", .serialized, .timeLimit(.minutes(10)))
    struct LeavingTests {
        @Test("with --timeout and nothing awaited watch and attach end well; with something awaited they say so")
        func timeouts() async throws {
            let scenario = try Scenario()
            let (up, _) = try await scenario.up()
            try await scenario.gantry("watch", "jobs", "--timeout", "300ms")
            try await scenario.gantry("feed", "attach", "products", "--timeout", "300ms")
            let missed = try await scenario.gantry("watch", "jobs", "--until", "999999999", "--timeout", "300ms", code: 5)
            #expect(missed.errors.contains("timed out after 300ms before the condition was met"), "\(missed.errors)")
            let job = try await scenario.gantry("job", "submit", "sleep", "--argument", "600000").output
            let waited = try await scenario.gantry("job", "wait", job, "--timeout", "300ms", code: 5)
            #expect(waited.errors.contains("job \(job) has not ended after 300ms; it is not cancelled"), "\(waited.errors)")
            #expect(waited.errors.contains("gantry job show \(job)"))
            up.send(.interrupt)
            up.send(.terminate)
            _ = try await up.exit()
        }

        @Test("watch of jobs alone shows their ends, also earlier ones, and ends with the code of job wait; beside others it goes on")
        func jobs() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            let short = try await scenario.gantry("job", "submit", "sleep", "--argument", "250").output
            let wrong = try await scenario.gantry("job", "submit", "sleep", "--argument", "soon").output
            let long = try await scenario.gantry("job", "submit", "sleep", "--argument", "600000").output
            let succeeded = try await scenario.gantry("watch", "job/\(short)")
            #expect(succeeded.lines.last?.contains("succeeded") == true, "\(succeeded.output)")
            let failed = try await scenario.gantry("watch", "job/\(short)", "job/\(wrong)", code: 10)
            #expect(failed.output.contains("succeeded") && failed.output.contains("failed"), "\(failed.output)")
            #expect(failed.errors.contains("job \(wrong) "), "\(failed.errors)")
            let late = try await scenario.gantry("watch", "job/\(short)", "job/\(long)", "--timeout", "300ms", code: 5)
            #expect(late.errors.contains("timed out after 300ms"), "\(late.errors)")
            try await scenario.gantry("watch", "job/\(short)", "jobs", "--timeout", "300ms")
            try await scenario.gantry("watch", "job/\(short)", "--until", "999999999", code: 9)
            let watch = try await scenario.start("watch", "job/\(long)", "--output", "jsonl")
            _ = try await watch.line("the job running") { $0.contains("\"state\":\"running\"") }
            try await scenario.gantry("job", "cancel", long)
            let cancelled = try await scenario.end(of: watch)
            #expect(cancelled.code == 4 && cancelled.lines.last?.contains("\"state\":\"cancelled\"") == true, "\(cancelled.errors)")
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("watch ends when nobody reads it any more, also while nothing changes")
        func unread() async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            // `timeout` ends with 124 what goes on; bash answers the code of the command that failed.
            let piped = "set -o pipefail; timeout 20 gantry watch jobs | head -1"
            let answer = try await scenario.end(of: scenario.start(program: "/bin/bash", ["-c", piped]))
            #expect(answer.code == 0 && answer.lines.count == 1, "\(answer.code) \(answer.output) \(answer.errors)")
            front.send(.terminate)
            _ = try await front.exit()
        }

        @Test("Ctrl-C of a wait, and a cancel, are told without the word error")
        func requested() async throws {
            let scenario = try Scenario()
            let (up, origin) = try await scenario.up()
            try await origin.fault(#"{"path":"/items","holdAfterBytes":10}"#)
            let command = ["-c", "exec gantry feed load items 2>&1"]
            let (waiter, leaver) = (
                try await scenario.start(program: "/bin/sh", command), try await scenario.start(program: "/bin/sh", command)
            )
            for process in [waiter, leaver] { _ = try await process.line("progress") { $0.contains("running") } }
            leaver.send(.interrupt)
            let left = try await scenario.end(of: leaver)
            #expect(left.code == 130 && !left.output.contains("error:"), "\(left.output)")
            #expect(left.output.contains("stopped waiting; the work is not cancelled"), "\(left.output)")
            #expect(left.output.contains("next:  gantry feed load items, or gantry feed cancel items"), "\(left.output)")
            try await scenario.gantry("feed", "cancel", "items")
            let cancelled = try await scenario.end(of: waiter)
            #expect(cancelled.code == 4 && !cancelled.output.contains("error:"), "\(cancelled.output)")
            #expect(cancelled.output.contains("was cancelled by feed cancel"))
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("submit --wait shows the job's id while it runs, and Ctrl-C says how to go on with it")
        func submitted() async throws {
            let scenario = try Scenario()
            let (up, _) = try await scenario.up()
            let submit = try await scenario.start(program: "/bin/sh", ["-c", "exec gantry job submit sleep --argument 60000 --wait 2>&1"])
            _ = try await submit.line("the job's id") { $0.hasPrefix("1: sleep running") }
            submit.send(.interrupt)
            let left = try await scenario.end(of: submit)
            #expect(left.code == 130 && left.output.contains("gantry job wait 1, or gantry job cancel 1"), "\(left.output)")
            try await scenario.gantry("job", "cancel", "1")
            let retry = try await scenario.start(program: "/bin/sh", ["-c", "exec gantry job retry 1 --wait 2>&1"])
            _ = try await retry.line("the new job's id") { $0.hasPrefix("2: sleep running") }
            retry.send(.interrupt)
            let parted = try await scenario.end(of: retry)
            #expect(parted.code == 130 && parted.output.contains("gantry job wait 2, or gantry job cancel 2"), "\(parted.output)")
            try await scenario.gantry("job", "cancel", "2")
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("Ctrl-C while many jobs are submitted prints the id of each that was accepted, and says how many were not submitted")
        func submitting() async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            let submit = try await scenario.start("job", "submit", "noop", "--count", "1000000", "--output", "jsonl")
            _ = try await submit.line("an id")
            submit.send(.interrupt)
            let left = try await scenario.end(of: submit)
            let printed = 1 + left.lines.count
            let counts = try await scenario.gantry("status", "--output", "json").json()["counts"] as? [String: Any]
            #expect(left.code == 130 && printed < 1_000_000, "\(left.errors)")
            #expect(counts?["waiting"] as? Int == printed)
            let failure = try left.failure()
            #expect(failure.message.contains("stopped: \(printed) of 1000000 jobs were accepted and their ids are printed"), "\(failure)")
            #expect(failure.message.contains("the others were not submitted"), "\(failure)")
            front.send(.terminate)
            _ = try await front.exit()
        }

        @Test(
            "a second Ctrl-C ends a client at once that waits for the answer to its jobs, and says what goes on",
            arguments: ["table", "jsonl"])
        func twice(output: String) async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            let submit = try await scenario.start("job", "submit", "noop", "--count", "1000000", "--output", output)
            _ = try await submit.line("an id")
            front.send(.stop)
            // Two signals close together are one. Before the first one all that the front has said still arrives.
            let pressed = ["-c", "sleep 0.5; kill -INT \(submit.process); sleep 0.4; kill -INT \(submit.process)"]
            let presser = try await scenario.start(program: "/bin/sh", pressed)
            let left = try await scenario.end(of: submit)
            #expect(left.code == 130, "\(left.errors)")
            let message = output == "jsonl" ? try left.failure().message : left.errors
            #expect(message.contains("ended at once by a second signal; what the front has accepted goes on"), "\(left.errors)")
            #expect(try await presser.exit() == .exited(code: 0))
            front.send(.continue)
            front.send(.terminate)
            _ = try await front.exit()
        }

        @Test("Ctrl-C while no front answers says that nothing was asked", arguments: ["table", "json"])
        func unanswered(output: String) async throws {
            let scenario = try Scenario()
            let deaf = try WrongFront(scenario, isDeaf: true)
            let status = try await scenario.start("status", "--timeout", "120s", "--output", output)
            try await deaf.waitUntilReceived()
            status.send(.interrupt)
            let left = try await scenario.end(of: status)
            #expect(left.code == 130, "\(left.errors)")
            let message = output == "json" ? try left.failure().message : left.errors
            #expect(message.contains("stopped before a front answered; nothing was asked of it"), "\(left.errors)")
            try deaf.stop()
        }

        @Test("attach loads a feed again whose last load failed")
        func attachFailed() async throws {
            let scenario = try Scenario()
            let (up, origin) = try await scenario.up()
            try await origin.fault(#"{"path":"/products","status":503,"times":1}"#)
            try await scenario.gantry("feed", "load", "products", code: 3)
            let attached = try await scenario.start("feed", "attach", "products", "--output", "jsonl")
            _ = try await attached.line("the content") { $0.contains("\"itemCount\":20") }
            attached.send(.interrupt)
            _ = try await attached.exit()
            up.send(.interrupt)
            _ = try await up.exit()
        }
    }
}
