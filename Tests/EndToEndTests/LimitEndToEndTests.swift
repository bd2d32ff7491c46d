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
            let outside = try OutsideRuns(ledger: ledger, kills: kills)
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

        @Test("no more attempts begin than the burst of a rate and what has come since, counted at the workers, though the front is killed")
        func rates() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--workers", "1", "--without", "sample-origin")
            try await scenario.gantry("limit", "set", "api", "--rate", "50/s", "--burst", "10")
            // A burst that is not back after the kill, unless the front forgets what was taken of it.
            try await scenario.gantry("limit", "set", "mail", "8", "--rate", "10/s", "--burst", "30")
            let ledger = scenario.folder + "/ledger"
            var workers: [Running] = []
            for name in ["one", "two"] {
                workers.append(
                    try await scenario.start(
                        program: Scenario.programs + "/ChaosWorker", ["ipc://\(scenario.data)/run/workers", name, "8", ledger]))
            }
            let began = SystemClock.bootNanoseconds()
            func submit(_ count: Int, _ limit: String) async throws -> [String] {
                try await scenario.gantry("job", "submit", "stamp", "--argument", "1", "--count", String(count), "--limit", limit).lines
            }
            let (mail, api) = (try await submit(60, "mail=acme"), try await submit(150, "api"))
            // A start cannot be before its grant, however busy the machine is: so no start is too early.
            try await scenario.gantry("job", "wait", mail[34], "--timeout", "60s")
            try ProcessControl.send(.kill, to: scenario.frontProcess())
            for job in [mail[59], api[149]] { try await scenario.gantry("job", "wait", job, "--timeout", "120s") }
            try await scenario.settles("an end of all jobs") {
                let limits = try await scenario.gantry("limit", "list", "--output", "json").items()
                return limits.allSatisfy { $0["inUse"] as? Int == 0 && $0["waiting"] as? Int == 0 }
            }
            let outside = try OutsideRuns(ledger: ledger, kills: [:])
            #expect(outside.started == Set(mail + api))
            for (jobs, rate, burst) in [(api, 50.0, 10.0), (mail, 10.0, 30.0)] {
                for (index, start) in outside.starts(of: Set(jobs)).enumerated() {
                    let seconds = Double(start - began) / 1e9
                    #expect(Double(index + 1) <= burst + rate * seconds, "start \(index + 1) at \(seconds) s")
                }
            }
            #expect(outside.most(of: Set(mail)) <= 8 && up.errors.contains("ended by signal 9"))
            let limits = try await scenario.gantry("limit", "list", "--output", "json").items()
            #expect(limits.map { ($0["refill"] as? [String: Any])?["rate"] as? String } == ["50/s", "10/s"], "\(limits)")
            for worker in workers { worker.send(.terminate) }
        }

        @Test("a job says when the next token comes that it waits for, and what is no rate is refused with its reason")
        func rateShown() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            #expect(try await scenario.gantry("limit", "set", "api", "--rate", "1/h").output == "limit api: 1/h, new")
            let jobs = try await scenario.gantry("job", "submit", "sleep", "--argument", "60000", "--count", "2", "--limit", "api").lines
            try await scenario.settles("an empty bucket") {
                try await scenario.gantry("job", "explain", jobs[1]).output.contains("the limit api has no token: the next one comes at 2")
            }
            let shown = try await scenario.gantry("limit", "show", "api").output
            #expect(shown.hasPrefix("api: 1/h, no token before 2") && shown.hasSuffix("Z, 1 job waits"), "\(shown)")
            let json = try await scenario.gantry("limit", "show", "api", "--output", "json").json()
            #expect(json["tokens"] as? Int == 0 && json["nextToken"] is String && json["capacity"] == nil, "\(json)")
            let changed = try await scenario.gantry("limit", "set", "api", "2", "--rate", "100/15m", "--burst", "20").output
            #expect(changed == "limit api: 2 at once, 100/15m with a burst of 20, was 1/h", "\(changed)")
            let wrong: [([String], String)] = [
                ([], "give a capacity, like 5, a rate, like --rate 10/m, or both"), (["5", "--burst", "3"], "give --rate too"),
                (["--rate", "0/s"], "\"0/s\" is no rate"), (["--rate=-1/s"], "\"-1/s\" is no rate"), (["--rate", "5"], "\"5\" is no rate"),
                (["--rate", "5/w"], "\"5/w\" is no rate"), (["--rate", "1/31d"], "1 second to 30 days"),
                (["5", "--beyond", "refuse"], "--beyond says what becomes of jobs"), (["--rate", "1/s", "--beyond", "drop"], "--beyond"),
                (["--rate", "1/s", "--burst", "0"], "the burst of a rate is 1 to 1,000,000, not 0"),
                (["0"], "the capacity of a limit is 1 to"),
            ]
            for (arguments, text) in wrong {
                let answer = try await scenario.run(["limit", "set", "api"] + arguments)
                #expect(answer.errors.contains(text), "\(arguments): \(answer.errors)")
            }
            for job in jobs { try await scenario.gantry("job", "cancel", job) }
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
        }

        @Test("a limit that lets none wait refuses jobs for which it has no token, all of a submit, with their code and when to come again")
        func refusing() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            let set = try await scenario.gantry("limit", "set", "signup", "--rate", "3/h", "--beyond", "refuse").output
            #expect(set == "limit signup: 3/h, refuses more, new", "\(set)")
            func submit(_ count: String, _ value: String, code: Int32 = 0) async throws -> Answer {
                try await scenario.gantry(
                    "job", "submit", "sleep", "--argument", "1", "--count", count, "--limit", "signup=\(value)", code: code)
            }
            #expect(try await submit("2", "ada").lines.count == 2)
            let two = try await submit("2", "ada", code: 8).errors
            let reason = "no token of the limit signup=ada (3/h) is left for 2 more jobs, and jobs without one are refused: submit again"
            #expect(two.contains(reason), "\(two)")
            #expect(try await submit("1", "ada").lines.count == 1)
            #expect(try await submit("1", "ada", code: 8).errors.contains("(3/h) is left for one more job"))
            let four = try await submit("4", "bob", code: 8).errors
            #expect(four.contains("takes at most 3 at once and lets none wait, and these are 4: submit fewer"), "\(four)")
            #expect(try await submit("3", "bob").lines.count == 3)
            #expect(try await scenario.gantry("limit", "show", "signup").output.contains("3/h, refuses more"))
            let loosened = try await scenario.gantry("limit", "set", "signup", "--rate", "3/h").output
            #expect(loosened == "limit signup: 3/h; jobs beyond it wait now, was 3/h, refuses more", "\(loosened)")
            #expect(try await submit("1", "ada").lines.count == 1)
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
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
            #expect(text == "api: 2 in use, 1 value of 1 each, 1 job waits\n  acme: 2 of 1, 1 job waits", "\(text)")
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
