//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Simulation
import Testing

@Suite("Injected bugs", .serialized)
struct InjectedBugTests {
    @Test("each is noticed by a standard seed, as the promise that it breaks", arguments: InjectedBug.allCases)
    func noticed(_ bug: InjectedBug) async throws {
        let (status, lines) = try await SeedLine.run(["--bug", bug.rawValue])
        #expect(status == 0)
        let noticed = try #require(lines.first { $0.invariant != nil }, "none of the \(lines.count) seeds notices \(bug)")
        #expect(noticed.invariant == bug.breaks.rawValue, "seed \(noticed.seed): \(noticed.violation ?? "")")
    }

    @Test("there is one for each promise that a lying part can break")
    func complete() {
        // The client's own machine gives these: only another machine would break them, which the source mutants are.
        let rest: Set<Promise> = [.answeredOnce, .batchIsWhole, .topicsCome]
        #expect(Set(Promise.allCases).subtracting(InjectedBug.allCases.map(\.breaks)) == rest)
    }
}
