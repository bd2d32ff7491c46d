//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Simulation
import Testing

@Suite("Injected bugs", .serialized)
struct InjectedBugTests {
    /// Bugs that few seeds notice, with one that did: it is tried first, for the seeds before it take minutes. One that has become another world
    /// since costs that time and nothing else.
    private static let rare: [InjectedBug: UInt64] = [.workForgotten: 426, .inboxTooLarge: 81, .framesTooLarge: 64]

    @Test("each is noticed by a standard seed, as the promise that it breaks", arguments: InjectedBug.allCases)
    func noticed(_ bug: InjectedBug) async throws {
        let named = ["--bug", bug.rawValue]
        if let seed = Self.rare[bug], Seeds.standard.contains(seed) {
            let (_, lines) = try await SeedLine.run(named + ["--seeds", "1", "--from", String(seed)])
            if lines.first?.invariant == bug.breaks.rawValue { return }
        }
        let (status, lines) = try await SeedLine.run(named)
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
