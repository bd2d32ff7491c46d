//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryClient
import GantryModel
import GantryPlatform
import Testing

extension EndToEnd {
    /// Workers outside of gantry (`ChaosWorker`) write down each start of a run, in a file that the front knows nothing of.
    @Suite("Unique keys over real processes", .serialized, .timeLimit(.minutes(10)))
    struct UniqueKeyEndToEndTests {
        /// The jobs that were started, as the workers' file says, one for each start.
        private func started(_ ledger: String) throws -> [String] {
            try String(contentsOfFile: ledger, encoding: .utf8).split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
                .filter { $0.first == "start" }.map { $0[1] }
        }

        private func worker(_ name: String, _ scenario: Scenario) async throws -> Running {
            try await scenario.start(
                program: Scenario.programs + "/ChaosWorker", ["ipc://\(scenario.data)/run/workers", name, "4", scenario.folder + "/ledger"])
        }

        @Test(
            "200 submits of one key from several clients at once start one job, and all wait for its outcome, also over a kill of the front"
        )
        func storm() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--workers", "1", "--without", "sample-origin")
            let workers = [try await worker("one", scenario), try await worker("two", scenario)]
            var commands: [Running] = []
            for _ in 0..<8 {
                commands.append(
                    try await scenario.start(
                        "job", "submit", "stamp", "--argument", "6000", "--unique", "report", "--wait", "--output", "json"))
            }
            var opened: [GantryClient] = []
            var patient = ClientOptions()
            (patient.connectTimeout, patient.requestTimeout) = (.seconds(600), .seconds(600))
            let requests = Endpoint(address: "ipc://\(scenario.data)/run/requests")
            for _ in 0..<8 { opened.append(try await GantryClient(connect: requests, options: patient)) }
            let (clients, first) = (opened, opened[0])
            let options = JobOptions(uniqueKey: UniqueKey("report"))
            let outcomes = try await withThrowingTaskGroup(of: JobOutcome.self) { group in
                for client in clients {
                    for _ in 0..<24 {
                        // The workers may not have registered yet.
                        group.addTask {
                            try await client.submitAndWait(
                                loader: "stamp", argument: Array("6000".utf8), options: options, anyLoader: true)
                        }
                    }
                }
                // While all of them wait.
                group.addTask {
                    try await scenario.settles("a running job") {
                        try await scenario.gantry("job", "list", "--state", "running", "--output", "json").items().count == 1
                    }
                    let joined = try await first.submit(loader: "stamp", argument: Array("6000".utf8), options: options)
                    #expect(joined.acceptance == .joined)
                    try ProcessControl.send(.kill, to: scenario.frontProcess())
                    return try await first.submitAndWait(loader: "stamp", argument: Array("6000".utf8), options: options)
                }
                var outcomes: [JobOutcome] = []
                for try await outcome in group { outcomes.append(outcome) }
                return outcomes
            }
            let outcome = try #require(outcomes.first)
            #expect(outcomes.count == 193 && Set(outcomes).count == 1 && outcome.state == .succeeded && !outcome.result.isEmpty)
            for command in commands {
                let answer = try await scenario.end(of: command)
                let item = try #require(try answer.items().first)
                #expect(answer.code == 0 && item["id"] as? String == outcome.job.description, "\(answer.output) \(answer.errors)")
                #expect(item["result"] as? String == String(decoding: outcome.result, as: UTF8.self))
                #expect((item["unique"] as? [String: Any])?["key"] as? String == "report", "\(item)")
            }
            #expect(try started(scenario.folder + "/ledger") == [outcome.job.description])
            #expect(up.errors.contains("ended by signal 9"))
            // The key is free, so the same work is done again.
            let again = try await first.submit(loader: "stamp", argument: Array("0".utf8), options: options)
            #expect(again.acceptance == .new && again.job != outcome.job)
            for client in clients { await client.close() }
            for worker in workers { worker.send(.terminate) }
        }

        @Test("the command line says what has become of a submit with a key")
        func commands() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--workers", "1", "--without", "sample-origin")
            func submit(_ argument: String, _ rest: String..., code: Int32 = 0) async throws -> Answer {
                let words = ["job", "submit", "sleep", "--argument", argument, "--delay", "1h"] + rest
                let answer = try await scenario.run(words)
                #expect(answer.code == code, "\(words): \(answer.output) \(answer.errors)")
                return answer
            }
            let job = try await submit("1", "--unique", "k", "--unique-until", "replace", "--unique-for", "10m").output
            let joined = try await submit("1", "--unique", "k", "--unique-until", "replace", "--unique-for", "10m")
            #expect(joined.output == job && joined.errors.contains("joined job \(job), which is scheduled"), "\(joined.errors)")
            let refused = try await submit("2", "--unique", "k", code: 9)
            #expect(refused.output.isEmpty && refused.errors.contains("is taken by job \(job)"), "\(refused.errors)")
            #expect(refused.errors.contains("next:  gantry job wait \(job), or gantry job cancel \(job)"), "\(refused.errors)")
            let replaced = try await submit("2", "--unique", "k", "--unique-until", "replace", "--output", "json").json()
            let item = try #require((replaced["items"] as? [[String: Any]])?.first)
            #expect(item["id"] as? String == job && item["joined"] as? Bool == true && item["replaced"] as? Bool == true, "\(item)")
            let shown = try await scenario.gantry("job", "show", job, "--output", "json").json()
            #expect(shown["argument"] as? String == "2" && (shown["unique"] as? [String: Any])?["mode"] as? String == "replace", "\(shown)")
            let explained = try await scenario.gantry("job", "explain", job).output
            #expect(explained.contains("unique key \"k\" until it has ended, replaced before its first start"), "\(explained)")
            for (words, text) in [
                (["--unique-for", "10m"], "belong to --unique KEY"), (["--unique", "k", "--count", "2"], "leave --count out"),
                (["--unique", " "], "no blank at its ends"),
                (["--unique", "k", "--unique-until", "started", "--unique-for", "1s"], "does not stay"),
            ] {
                let wrong = try await scenario.run(["job", "submit", "sleep"] + words)
                #expect(wrong.code == 64 && wrong.errors.contains(text), "\(words): \(wrong.errors)")
            }
            up.send(.interrupt)
            _ = try await up.exit()
        }
    }
}
