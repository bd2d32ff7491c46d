//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Simulation
import Testing

@Suite("Injected bugs", .serialized)
struct InjectedBugTests {
    /// The seeds that noticed a bug last, where it was none of the first ones. They are looked at first, for the others take most of the time of all
    /// these tests; once a seed is another world, what notices the bug is looked for among all of them again. A cancel has to fall into a quiet world
    /// while its work runs for long: that happens in none of the standard seeds.
    private static let seeds: [InjectedBug: UInt64] = [
        .doubtReportedDurable: 12, .authorityClaimed: 10, .successorOverlooked: 42, .repliesLeftOut: 10, .reportsDoubled: 30,
        .renewalsOverlooked: 5, .capacityMisread: 10, .anyLoaderTaken: 4, .beyondOverlooked: 51, .keysFreedEarly: 4, .cancelsLeftOut: 539,
        .drainsLeftOut: 10, .timeoutsHalved: 34, .statesDropped: 8, .rateMisread: 33, .framesTooLarge: 72,
        .quarantineTooEarly: 4, .neverReserved: 32, .endedKeptTooLong: 5, .queueTooLong: 8, .repliesTooLarge: 6, .inboxTooLarge: 11,
        .loadsHeldBack: 321, .sharedOrderMisread: 12, .codesOverlooked: 18, .readingsTooMany: 6,
    ]

    @Test("each is noticed by a seed, as the promise that it breaks", arguments: InjectedBug.allCases)
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
