//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import GantryClient
@testable import StateFormatting

@Suite("Lines of watch at a terminal")
struct TerminalLineTests {
    private func line(_ phrases: String..., sequence: String = "12", verification: String = "verified") -> TerminalLine {
        TerminalLine(
            clock: "10:15:00", verification: verification, sequence: sequence, checksum: "0123456789ab", topic: "front", phrases: phrases,
            separator: ", ")
    }

    @Test("only a wide terminal has room for the number of the change and the checksum")
    func width() {
        #expect(line("a", "b").text(columns: 100, after: nil) == "10:15:00 verified   12 0123456789ab front a, b")
        #expect(line("a", "b").text(columns: 99, after: nil) == "10:15:00 verified front a, b")
    }

    @Test("what is new since the line before stands first")
    func new() {
        let text = line("version 1", "storage ok", "4 sessions").text(columns: 60, after: line("version 1", "storage ok", "3 sessions"))
        #expect(text == "10:15:00 verified front 4 sessions, version 1, storage ok")
    }

    @Test("counts of jobs keep their places")
    func counts() {
        var (last, next) = (line("1 waiting", "3 succeeded"), line("1 waiting", "4 succeeded"))
        (last.keepsOrder, next.keepsOrder) = (true, true)
        #expect(next.text(columns: 60, after: last) == "10:15:00 verified front 1 waiting, 4 succeeded")
        let orders = [Topic.jobs, .front].map { TopicState(topic: $0).terminalLine(at: WallTime(milliseconds: 0)).keepsOrder }
        #expect(orders == [true, false])
    }

    @Test("a terminal is not shown the same text again, but what became of its proof")
    func repeated() {
        let (last, next) = (line("a", sequence: "12"), line("a", sequence: "13"))
        #expect(next.text(columns: 60, after: last) == nil)
        #expect(line("a", verification: "lost    ").text(columns: 60, after: last) == "10:15:00 lost     front a")
        #expect(next.text(columns: 100, after: last) == nil)
        #expect(line("b", sequence: "13").text(columns: 100, after: last)?.contains(" 13 0123456789ab") == true)
    }

    @Test("the detail of a selected item is in the line for pipes, not in that for a terminal or a result")
    func detail() {
        var view = ViewState(name: "shared")
        view.selection = "3"
        view.detail = .loaded(Array("{ \"id\": 3 }".utf8))
        #expect(view.line == "version 0; in the list's own order; selected 3: {\"id\":3}")
        #expect(view.resultLine == "version 0; in the list's own order; selected 3")
        view.detail = .loading(JobID(9))
        #expect(view.shortLine == "in the list's own order; selected 3: loading (job 9)")
    }

    @Test("the line of a topic for pipes has the same phrases in their own order")
    func pipe() {
        var state = TopicState(topic: .jobs)
        #expect(state.stateLine == "no jobs yet" && state.terminalLine(at: WallTime(milliseconds: 0)).phrases == ["no jobs yet"])
        state = TopicState(topic: .workers)
        #expect(state.stateLine == "no workers")
    }
}
