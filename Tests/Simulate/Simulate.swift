//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryPlatform
import Simulation

/// Lets simulated worlds happen, and reports the first broken promise of each.
@main
struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs seeded worlds of front, workers and clients under faults, and checks the promises after every step.",
        discussion: """
            Example: Simulate --seeds 200 --from 1. A failing seed ends with exit code 1 and its last events.

            With --bug the world is made with a mistake, and the seeds are to notice it: the first that does ends the run with exit code 0, none
            with 1.
            """)

    @Option(help: "How many seeds.") var seeds: UInt64 = UInt64(Seeds.standard.count)
    @Option(help: "The first seed.") var from: UInt64 = Seeds.standard.lowerBound
    @Option(help: "Go on with further seeds until so many seconds are over.") var seconds: Int?
    @Option(help: "Go on with further seeds until the front has made so many grants.") var grants: UInt64?
    @Flag(help: "Only seeds in whose worlds all jobs crowd into one limit, which is then full most of the time.") var crowded = false
    @Flag(help: "Trials of limits in place of worlds: the front's and the workers' machines alone, some hundred times as many grants.")
    var limitTrial = false
    @Option(
        help: """
            A bug to inject: \(InjectedBug.allCases.map(\.rawValue).joined(separator: ", ")); into trials of limits \
            \(TrialBug.allCases.map(\.rawValue).joined(separator: ", ")).
            """) var bug: String?
    @Option(help: "How many of the last lines of a failing seed's trace are shown; with each action of the front stands its event.")
    var events: Int = 120
    @Option(help: "How many worlds happen at the same time.") var width: Int = 2
    @Flag(help: "Print one JSON object a seed and nothing else.") var json = false
    @Flag(help: "End with the first seed that breaks a promise.") var untilBroken = false

    func validate() throws {
        if let bug, limitTrial ? TrialBug(rawValue: bug) == nil : InjectedBug(rawValue: bug) == nil {
            throw ValidationError("there is no bug \"\(bug)\" to inject: see --help")
        }
        if limitTrial, crowded || seconds != nil {
            throw ValidationError("--limit-trial ends by --grants or --seeds, and all of them are crowded")
        }
        if width < 1 || seeds < 1 { throw ValidationError("--width and --seeds are at least 1") }
        if seconds != nil, grants != nil { throw ValidationError("--seconds and --grants both say when to end: leave one of them out") }
    }

    func run() async throws {
        if limitTrial {
            let sweep = TrialSweep(
                bug: bug.flatMap { TrialBug(rawValue: $0) }, first: from, events: events, isJSON: json, endsAtFirst: untilBroken)
            return try await sweep.run(seeds: seeds, grants: grants, width: width)
        }
        let clock = ContinuousClock()
        let begin = clock.now
        let summary = await sweep(until: seconds.map { begin + .seconds($0) })
        if !json { summary.show(elapsed: clock.now - begin) }
        if let bug {
            guard summary.failedSeeds == 0 else { return }
            if !json { output("\(bug): noticed by none of \(summary.seeds) seeds") }
            throw ExitCode(1)
        }
        if summary.failedSeeds > 0 { throw ExitCode(1) }
    }

    private var injected: InjectedBug? { bug.flatMap { InjectedBug(rawValue: $0) } }

    private func sweep(until deadline: ContinuousClock.Instant?) async -> Summary {
        var summary = Summary()
        var (next, begun) = (nextSeed(from), UInt64(0))
        await withTaskGroup(of: (report: SeedReport, processorMilliseconds: Int64).self) { group in
            var running = 0
            while true {
                let isInTime = deadline.map { ContinuousClock.now < $0 } ?? grants.map { summary.grants.all < $0 } ?? (begun < seeds)
                let isNoticed = (injected != nil || untilBroken) && summary.failedSeeds > 0
                if isInTime, !isNoticed, running < width {
                    let (seed, injected) = (next, injected)
                    group.addTask { Self.measure { Seeds.run(seed, bug: injected) } }
                    next = nextSeed(next + 1)
                    begun += 1
                    running += 1
                    continue
                }
                guard let (report, processorMilliseconds) = await group.next() else { break }
                running -= 1
                summary.add(report, processorMilliseconds: processorMilliseconds)
                if json {
                    output(SeedLine(report, processorMilliseconds: processorMilliseconds).text)
                } else if let violation = report.violation {
                    show(violation, of: report.seed)
                } else if summary.seeds.isMultiple(of: 50) {
                    output("\(summary.seeds) seeds, \(summary.failedSeeds) failed")
                }
            }
        }
        return summary
    }

    /// The first seed from there on whose world is wanted.
    private func nextSeed(_ seed: UInt64) -> UInt64 { crowded ? (seed...).first(where: Seeds.isCrowded) ?? seed : seed }

    /// A world happens on one thread from its beginning to its end.
    static func measure<Report>(_ run: () -> Report) -> (report: Report, processorMilliseconds: Int64) {
        let begin = SystemClock.threadNanoseconds()
        let report = run()
        return (report, (SystemClock.threadNanoseconds() - begin) / 1_000_000)
    }

    /// The same seed again, this time telling what happens.
    private func show(_ violation: Violation, of seed: UInt64) {
        output("seed \(seed): \(violation)")
        guard events > 0 else { return }
        for line in Seeds.run(seed, bug: injected, isTraced: true).trace.suffix(events) { output("    \(line)") }
    }
}
