//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import GantrySettings
import Testing

extension EndToEnd {
    /// `kill -9` of a worker and of the front in the middle of work.
    @Suite("Show 3: kills", .serialized, .timeLimit(.minutes(10)))
    struct KillEndToEndTests {
        private let topics = ["jobs", "feed/items?count=100&parameter=sample"]

        @Test("5,000 jobs and a slow load end once each over the death of a worker and of the front, and observers agree again")
        func kills() async throws {
            let scenario = try Scenario()
            let port = try await scenario.freePort()
            let origin = SampleOrigin(port: port)
            let patient = BuiltInSample.yaml.replacing("idle: 15s, total: 60s", with: "idle: 200s, total: 300s")
            try scenario.write("gantry.yaml", origin.sample(patient))
            let up = try await scenario.serve("up", "--sample-origin-port", String(port))
            let observers = [
                try await Observer.start(scenario, topics), try await Observer.start(scenario, topics),
                try await Observer.start(scenario, topics),
            ]
            let epoch = try await observers[0].read("a first change") { change, _ in change.verified }.epoch

            // The origin sends a part and no more until it is healed, so the load outlasts both kills on any machine.
            try await origin.fault(#"{"path":"/items","holdAfterBytes":5000}"#)
            let load = try await scenario.gantry("feed", "load", "items", "--no-wait").output
            try await origin.wait("/items", "inFlight=1")
            var jobs = try await scenario.gantry("job", "submit", "noop", "--count", "1500").lines
            jobs += try await scenario.gantry("job", "submit", "sleep", "--argument", "15", "--count", "2000").lines
            jobs += try await scenario.gantry("job", "submit", "noop", "--count", "1500").lines
            #expect(jobs.count == 5_000 && Set(jobs).count == 5_000)
            let waiting = try await scenario.start("job", "wait", jobs[3_499])

            // The worker that loads dies; the load is a GET, so it is done again by the other or by the one that is started anew.
            let name = try await scenario.gantry("job", "show", load, "--output", "json").json()["worker"] as? String
            let workers = try await scenario.gantry("worker", "list", "--output", "json").items()
            let holder = try #require(workers.first { $0["name"] as? String == name }?["processID"] as? Int)
            try kill(holder)
            #expect(try await origin.wait("/items", "requests=2") == 2)

            try kill(Int(scenario.frontProcess().rawValue))
            try await observers[0].read("a later epoch") { change, _ in change.topic == "jobs" && change.epoch > epoch && change.verified }

            try await origin.heal()
            #expect(try await scenario.end(of: waiting).code == 0)
            let ended = try await scenario.gantry("job", "wait", load, "--output", "json").json()
            #expect(ended["state"] as? String == "succeeded")
            try await scenario.gantry("watch", "jobs", "--until", "idle", "--output", "jsonl")
            try await checkEnds(scenario, jobs)
            #expect(try await origin.wait("/items", "requests=2") == 2)
            let shown = try await scenario.gantry("feed", "show", "items", "--output", "json").json()
            #expect((shown["content"] as? [String: Any])?["itemCount"] as? Int == 100 && shown["failure"] == nil)
            try await observers.agree(scenario, on: topics)
            #expect(observers.allSatisfy { $0.last("jobs").map { $0.epoch > epoch } == true })
            #expect(up.errors.contains("ended by signal 9"))
        }

        @Test("a job whose worker is killed runs elsewhere before that worker's lease could end, also when the front is killed with it")
        func knownDeath() async throws {
            let scenario = try Scenario()
            var front = try await scenario.serve("front")
            let first = try await scenario.serve("worker", "--name", "first")
            let id = try await scenario.gantry("job", "submit", "sleep", "--argument", "600000").output
            let observer = try await Observer.start(scenario, ["job/\(id)"])
            func read(attempt: Int) async throws {
                try await observer.read("run \(attempt)") { _, line in
                    line.contains("\"state\":\"running\"") && line.contains("\"attempts\":\(attempt)")
                }
            }
            try await read(attempt: 1)
            let second = try await scenario.serve("worker", "--name", "second")
            var begun = ContinuousClock.now
            first.send(.kill)
            try await read(attempt: 2)
            // A lease and its grace are 5.5 s.
            #expect(ContinuousClock.now - begun < .milliseconds(4_500))
            let third = try await scenario.serve("worker", "--name", "third")
            begun = ContinuousClock.now
            front.send(.kill)
            second.send(.kill)
            _ = try await front.exit()
            front = try await scenario.serve("front")
            try await read(attempt: 3)
            #expect(ContinuousClock.now - begun < .milliseconds(4_500))
            // A process ends with its last holder.
            withExtendedLifetime((front, third)) {}
        }

        private func kill(_ number: Int) throws {
            guard let process = ProcessID(rawValue: Int32(number)) else { throw EndToEndError("no process \(number)") }
            try ProcessControl.send(.kill, to: process)
        }

        /// Every accepted job is in the history once, as succeeded, and was counted once.
        private func checkEnds(_ scenario: Scenario, _ jobs: [String]) async throws {
            var states: [String: String] = [:]
            var before: [String] = []
            while true {
                let page = try await scenario.run(["job", "list", "--limit", "1000", "--output", "json"] + before).json()
                for job in page["items"] as? [[String: Any]] ?? [] {
                    let id = job["id"] as? String ?? ""
                    #expect(states[id] == nil, "job \(id) is listed twice")
                    states[id] = job["state"] as? String
                }
                guard let next = page["next"] as? String else { break }
                before = ["--before", next]
            }
            #expect(jobs.allSatisfy { states[$0] == "succeeded" })
            let status = try await scenario.gantry("status", "--output", "json").json()
            let counts = status["counts"] as? [String: Any]
            #expect(counts?["succeeded"] as? Int == states.values.count { $0 == "succeeded" })
            #expect(counts?["failed"] as? Int == 0 && counts?["quarantined"] as? Int == 0)
        }
    }
}
