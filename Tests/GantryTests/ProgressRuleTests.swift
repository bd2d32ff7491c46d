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

    @Test("where nobody looks on, many short jobs print one line a second")
    func shortJobs() {
        var rule = ProgressRule(isTerminal: false)
        let shown = (0..<40).filter { rule.shows("\($0)", state: "\($0)", at: .milliseconds(100 * $0)) }
        #expect(shown == [0, 10, 20, 30])
    }

    @Test("what may end at once shows nothing before a while has passed", arguments: [false, true])
    func patient(isTerminal: Bool) {
        var rule = ProgressRule(isTerminal: isTerminal, start: .seconds(1))
        #expect((0..<3).map { rule.shows("\($0)", state: "\($0)", at: .milliseconds(500 * $0)) } == [false, false, true])
    }

    @Test("at a terminal a line is written over the one before, cut before the last column")
    func drawing() {
        #expect(ProgressLine.drawing(of: "loading", columns: 20) == "\r" + "loading" + "\u{1B}[K")
        #expect(ProgressLine.drawing(of: "loading 40 %\u{7}", columns: 10) == "\r" + "loading …" + "\u{1B}[K")
    }
}
