//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryPlatform
import Testing

extension EndToEnd {
    /// A worker of one's own (`ChaosWorker`) whose loader fails at random.
    @Suite("Jobs that fail at random", .serialized, .timeLimit(.minutes(10)))
    struct FlakyEndToEndTests {
        /// How many attempts of a hundred fail, and how many a job has.
        private static let (percent, attempts) = (UInt64(60), 3)
        private static let count = 40

        /// Whether an attempt fails: what `FlakyLoader` says of it.
        private static func fails(_ job: String, attempt: Int) -> Bool {
            var random = SplitMix64(mixing: (UInt64(job) ?? 0) &* 1_000 &+ UInt64(attempt))
            return random.next() % 100 < percent
        }

        /// Those of some jobs none of whose attempts succeeds.
        private static func dead(_ jobs: [String]) -> [String] {
            jobs.filter { job in (1...attempts).allSatisfy { fails(job, attempt: $0) } }
        }

        private func counts(_ scenario: Scenario) async throws -> [String: Any] {
            try await scenario.gantry("status", "--output", "json").json()["counts"] as? [String: Any] ?? [:]
        }

        private func ended(_ count: Int, _ scenario: Scenario) async throws {
            try await scenario.settles("the end of \(count) jobs") {
                let counts = try await counts(scenario)
                return (counts["succeeded"] as? Int ?? 0) + (counts["failed"] as? Int ?? 0) == count
            }
        }

        /// How long each attempt of a job waited after the end of the one before it, in seconds.
        private func pauses(of job: String, _ scenario: Scenario) async throws -> [Double] {
            let shown = try await scenario.gantry("job", "show", job, "--output", "json").json()
            let runs = try #require(shown["runs"] as? [[String: Any]], "\(shown)")
            func time(_ run: [String: Any], _ name: String) -> Double {
                (run[name] as? String).flatMap { WallTime(readingRFC3339: $0) }.map { Double($0.milliseconds) / 1_000 } ?? .nan
            }
            return zip(runs, runs.dropFirst()).map { time($1, "startedAt") - time($0, "endedAt") }
        }

        @Test("their back-off is seen by who watches, the dead set is grouped, and one command repeats all of a code")
        func flaky() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--workers", "1", "--without", "sample-origin")
            try await scenario.gantry("loader", "pause", "flaky")
            let jobs = try await scenario.gantry(
                "job", "submit", "flaky", "--argument", "\(Self.percent)", "--count", "\(Self.count)", "--attempts", "\(Self.attempts)",
                "--back-off", "300ms", "--no-jitter"
            ).lines
            let dead = Self.dead(jobs)
            let watched = try #require(dead.first)
            #expect(jobs.count == Self.count && dead.count < Self.count)
            let watcher = try await Observer.start(scenario, ["job/\(watched)"])
            try await watcher.read("the job that waits") { change, line in change.verified && line.contains(#""reason":"paused""#) }
            let worker = try await scenario.start(
                program: Scenario.programs + "/ChaosWorker",
                ["ipc://\(scenario.data)/run/workers", "one", "4", scenario.folder + "/ledger"])
            try await scenario.gantry("loader", "resume", "flaky")

            // After which attempts it is seen to back off.
            var backOffs: [Int] = []
            try await watcher.read("the end of the job") { _, line in
                guard let change = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                    let job = change["state"] as? [String: Any]
                else { return false }
                let reason = job["waitReason"] as? [String: Any]
                if reason?["reason"] as? String == "backedOff", reason?["until"] is String, let attempts = job["attempts"] as? Int {
                    if backOffs.last != attempts { backOffs.append(attempts) }
                }
                return job["state"] as? String == "failed"
            }
            #expect(backOffs == [1, 2])
            try await ended(Self.count, scenario)
            let pauses = try await pauses(of: watched, scenario)
            #expect(pauses.count == 2 && pauses[0] >= 0.299 && pauses[1] >= 0.599, "\(pauses)")

            let causes = try await scenario.gantry("job", "dead", "--output", "json").items()
            #expect(
                causes.count == 1 && causes[0]["code"] as? String == "unlucky" && causes[0]["loader"] as? String == "flaky", "\(causes)")
            #expect(causes.first?["count"] as? Int == dead.count, "\(causes)")
            #expect(causes.first?["text"] as? String == "attempt \(Self.attempts) had no luck", "\(causes)")
            let retry = try await scenario.gantry("job", "retry", "--state", "failed", "--code", "unlucky", "--yes")
            #expect(retry.output.contains("\(dead.count)"), "\(retry.output)")
            try await ended(Self.count + dead.count, scenario)
            let all = try await scenario.gantry("job", "list", "--loader", "flaky", "--limit", "1000", "--output", "json").items()
            let repeats = all.filter { $0["retryOf"] != nil }
            #expect(Set(repeats.compactMap { $0["retryOf"] as? String }) == Set(dead) && repeats.count == dead.count, "\(repeats)")
            // What repeats them has all attempts anew, and its own luck.
            let again = Self.dead(repeats.compactMap { $0["id"] as? String })
            let failed = repeats.filter { $0["state"] as? String == "failed" }.compactMap { $0["id"] as? String }
            #expect(Set(failed) == Set(again), "\(repeats)")
            worker.send(.terminate)
            _ = try await worker.exit()
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
        }
    }
}
