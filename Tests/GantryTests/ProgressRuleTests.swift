//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import gantry

@Suite("Lines of progress")
struct ProgressRuleTests {
    /// Work that reports 20 times a second for so long, and changes its state once.
    private func lines(isTerminal: Bool, seconds: Int) -> [String] {
        var rule = ProgressRule(isTerminal: isTerminal)
        return (0..<(20 * seconds)).flatMap { step in
            let state = step < 30 ? "waiting" : "running"
            let line = state == "waiting" ? state : "\(state) \(step)"
            let now = Duration.milliseconds(50 * step)
            return (0..<2).compactMap { _ in rule.shows(line, state: state, at: now) ? line : nil }
        }
    }

    @Test("where nobody looks on each state is told once and progress every 10 s")
    func file() {
        #expect(lines(isTerminal: false, seconds: 25) == ["waiting", "running 30", "running 230", "running 430"])
    }

    @Test("at a terminal each line is, once")
    func terminal() {
        #expect(lines(isTerminal: true, seconds: 5) == ["waiting"] + (30..<100).map { "running \($0)" })
    }
}
