//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Simulation
import Testing

@Suite("Injected bugs", .serialized)
struct InjectedBugTests {
    /// The seeds that noticed a bug last, where it was none of the first ones. They are looked at first, for the others take most of the time of all
    /// these tests; once a seed is another world, what notices the bug is looked for among all of them again.
    private static let seeds: [InjectedBug: UInt64] = [
        .doubtReportedDurable: 98, .successorOverlooked: 42, .reportsDoubled: 29, .renewalsOverlooked: 5, .anyLoaderTaken: 7,
        .beyondOverlooked: 61, .keysFreedEarly: 21, .cancelsLeftOut: 15, .timeoutsHalved: 88, .statesDropped: 8, .limitsMisstated: 6,
        .framesTooLarge: 64,
        .quarantineTooEarly: 4, .neverReserved: 56, .codesOverlooked: 15, .queueTooLong: 6, .repliesTooLarge: 4, .inboxTooLarge: 84,
    ]

    @Test("each is noticed by a standard seed, as the promise that it breaks", arguments: InjectedBug.allCases)
    func noticed(_ bug: InjectedBug) async throws {
        var (status, lines) = (Int32(1), [SeedLine]())
        if let seed = Self.seeds[bug] {
            (status, lines) = try await SeedLine.run(["--bug", bug.rawValue, "--seeds", "1", "--from", "\(seed)"])
        }
        if status != 0 { (status, lines) = try await SeedLine.run(["--bug", bug.rawValue]) }
        #expect(status == 0)
        let noticed = try #require(lines.first { $0.invariant != nil }, "none of the \(lines.count) seeds notices \(bug)")
        #expect(noticed.invariant == bug.breaks.rawValue, "seed \(noticed.seed): \(noticed.violation ?? "")")
    }

    @Test("there is one for each promise that a lying part can break")
    func complete() {
        // The client's own machine gives the first three, the front's the last: only another machine would break them, which the source mutants are.
        let rest: Set<Promise> = [.answeredOnce, .batchIsWhole, .topicsCome, .reasonsAreTrue]
        #expect(Set(Promise.allCases).subtracting(InjectedBug.allCases.map(\.breaks)) == rest)
    }
}
