//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryClient
import GantryPlatform
import Testing

@testable import WorkerExample

extension EndToEndCommands {
    /// What the catalogs of the libraries show: `DocumentationTests` compares it with the example programs, and here it is run beside a front. Snippets
    /// of workers run in `LibraryExampleTests` and `OwnLoaderTests`, those of test harnesses in the tests of the library `GantryWorkerTesting`.
    @Suite("The catalogs' snippets", .serialized, .timeLimit(.minutes(5)))
    struct CatalogSnippetTests {
        @Test("of the client's first steps load a feed, say why one cannot be loaded, and show how many items there are")
        func firstSteps() async throws {
            let scenario = try Scenario()
            let (up, _) = try await scenario.up()
            // What is printed into a pipe would stay in the program until it ends.
            let program = try await scenario.start(program: "/usr/bin/stdbuf", ["-oL", Scenario.programs + "/StackExample", "steps"])
            #expect(try await program.line("the end of the job") == "succeeded")
            #expect(try await program.line("the feed") == "products?category=electronics")
            #expect(try await program.line("the refusal").hasPrefix("unknownFeed "))
            let count = try await program.line("the number of items") { $0 != "0" }
            #expect(Int(count).map { $0 > 0 } == true, "\(count)")
            program.send(.kill)
            _ = try await program.exit()
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("of typed jobs submit one and several, and read their results")
        func typedJobs() async throws {
            let scenario = try Scenario()
            let (up, _) = try await scenario.up()
            // The worker reads the paths of jobs from its own folder.
            try scenario.write("README.md", "one two three\n")
            try scenario.write("other.txt", "four five\n")
            let worker = try await scenario.start(program: Scenario.programs + "/WorkerExample", [scenario.data])
            try await scenario.settles("the loader") { try await scenario.gantry("loader", "list").output.contains("count-words") }
            let client = try await GantryClient(connect: Endpoint(address: "ipc://\(scenario.data)/run/requests"))
            #expect(try await CountWordsClient.count(client) == 3)
            #expect(try await CountWordsClient.countAll(client, ["README.md", "other.txt"]) == 5)
            #expect(try await scenario.gantry("job", "list", "--tag", "books", "--output", "json").items().count == 2)
            await client.close()
            worker.send(.interrupt)
            #expect(try await worker.exit() == .exited(code: 0))
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("of a pool of one's own gives what its call returns")
        func pool() async throws {
            let scenario = try Scenario()
            try scenario.write("a.txt", "a")
            try scenario.write("b.txt", "b")
            #expect(try await size(of: scenario.folder) == 2)
        }
    }
}
