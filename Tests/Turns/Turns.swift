//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import GantryPlatform

/// Measures single turns of the front's machine at a size and at twice that size.
@main
struct Turns: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures single turns of the front at a size and at twice that size, and prints how their costs compare.",
        discussion: "Example: swift run -c release --static-swift-stdlib Turns --only jobs. A ratio above its bar ends with exit code 1.")

    @Option(help: "Only the cases whose names begin so.") var only = ""
    @Option(help: "How often each is measured; the least time counts.") var rounds = 5

    func validate() throws {
        if rounds < 1 { throw ValidationError("--rounds is at least 1") }
        if cases.isEmpty { throw ValidationError("no case begins with \"\(only)\": \(TurnCase.all.map(\.name).joined(separator: ", "))") }
    }

    func run() throws {
        print("case                                               size      us a turn   at twice   ratio   bar")
        var isMet = true
        for turnCase in cases {
            let (one, two) = measure(turnCase)
            let ratio = two / one
            isMet = isMet && ratio <= turnCase.growth.bar
            let name = turnCase.name.padding(toLength: 46, withPad: " ", startingAt: 0)
            print(name + String(format: "%9d %14.2f %10.2f %7.2f %5.1f", turnCase.size, one, two, ratio, turnCase.growth.bar))
        }
        if !isMet { throw ExitCode(1) }
    }

    private var cases: [TurnCase] { TurnCase.all.filter { $0.name.hasPrefix(only) } }

    /// Microseconds of a turn at the size and at twice that size, measured alternately.
    private func measure(_ turnCase: TurnCase) -> (Double, Double) {
        let sizes = [turnCase.size, 2 * turnCase.size]
        var least = [Double.infinity, .infinity]
        var fronts = turnCase.isOnce ? [] : sizes.map(turnCase.prepare)
        for round in 0..<rounds {
            if turnCase.isOnce { fronts = sizes.map(turnCase.prepare) }
            for index in sizes.indices {
                let count = turnCase.count
                let before = SystemClock.threadNanoseconds()
                for number in 0..<count { fronts[index](round * count + number) }
                least[index] = min(least[index], Double(SystemClock.threadNanoseconds() - before) / Double(count) / 1_000)
            }
        }
        return (least[0], least[1])
    }
}
