//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import gantry

@Suite("Text at a terminal")
struct TextFitTests {
    private func widths(_ text: String) -> [Int] { text.split(separator: "\n").map { TextFit.width(of: $0) } }

    @Test("what fits is left as it is, also over several lines and with colors")
    func fits() {
        for text in ["", "a b", "one\ntwo\n", "\u{1B}[1merror:\u{1B}[0m no"] { #expect(TextFit.fold(text, columns: 9) == text) }
    }

    @Test("a line is broken between words, and goes on below the text behind its label")
    func words() {
        #expect(TextFit.fold("error: there is no feed of that name", columns: 25) == "error: there is no feed\n       of that name")
        #expect(
            TextFit.fold("jobs      1 waiting, 2 failed, oldest", columns: 30) == "jobs      1 waiting, 2 failed,\n          oldest")
        #expect(
            TextFit.fold("\u{1B}[1merror:\u{1B}[0m there is no feed of it", columns: 25)
                == "\u{1B}[1merror:\u{1B}[0m there is no feed\n       of it")
        #expect(TextFit.fold("items: loaded 100 items in 0.04 s", columns: 20) == "items: loaded 100\n  items in 0.04 s")
        #expect(TextFit.fold("  - a story of many words", columns: 16) == "  - a story of\n    many words")
    }

    @Test("a word that is wider than the terminal is broken anywhere, by columns and not by characters")
    func wide() {
        #expect(TextFit.fold("abcdefghijkl", columns: 6) == "abcdef\n  ghij\n  kl")
        #expect(TextFit.fold("日本語日本語", columns: 6) == "日本語\n  日本\n  語")
    }

    @Test("no line is wider than the terminal, whatever the text", arguments: [10, 37, 80, 100])
    func bound(columns: Int) {
        let text = "feed languages  http://127.0.0.1:8000/iso_639-3.json?parameter=very-long, 日本語 and\tmore\n\nshort"
        for length in 0...text.count {
            let part = String(text.prefix(length))
            let folded = TextFit.fold(part, columns: columns)
            #expect(widths(folded).allSatisfy { $0 <= columns }, "\(folded)")
            #expect(folded.filter { !$0.isWhitespace } == part.filter { !$0.isWhitespace })
        }
    }

    @Test(
        "nothing that a terminal would obey is printed: titles, C1 sequences, line breaks in cells, marks that turn the writing",
        arguments: ["\u{1B}]0;x\u{7}", "\u{1B}[2J", "\u{9B}31m", "a\rb", "\u{202E}gnp", "\u{2066}x", "\u{1B}[8mhidden"])
    func injection(text: String) {
        let failure = CommandFailure(.failed, code: .failed, message: "item \(text)", nextStep: text)
        var table = TextTable("id")
        table.add(text)
        let style = TextStyle(isColored: false)
        for printed in [TextFit.clean(text), ErrorReport.text(failure, style: style), table.text(columns: nil), table.text(columns: 40)] {
            let forbidden = printed.unicodeScalars.filter {
                $0 != "\n" && ($0.properties.generalCategory == .control || $0.value >> 4 == 0x202 || $0.value >> 4 == 0x206)
            }
            #expect(forbidden.isEmpty, "\(printed.debugDescription)")
        }
    }

    @Test("own bold words and lines stay")
    func bold() {
        let text = "\u{1B}[1merror:\u{1B}[0m one\n\u{1B}[1mnext:\u{1B}[0m"
        #expect(TextFit.clean(text) == text)
    }

    @Test("what a user wished is told without the word error")
    func requested() {
        let cancelled = CommandFailure(.cancelled, code: .cancelled, message: "job 1 was cancelled")
        for (failure, text) in [(cancelled, "job 1 was cancelled"), (.stoppedWatching, "stopped watching\nnext:  gantry status")] {
            #expect(ErrorReport.text(failure, style: TextStyle(isColored: false)) == text)
        }
    }

    @Test(
        "who stops submitting jobs is told how many were accepted, and whether more may have been",
        arguments: [
            (0, true, "stopped: 0 of 5 jobs were accepted; the others were not submitted"),
            (1, true, "stopped: 1 of 5 jobs was accepted and its id is printed; the others were not submitted"),
            (
                3, false,
                "stopped: 3 of 5 jobs were accepted and their ids are printed; the front did not answer in time whether it took the last part, "
                    + "up to 1000 jobs, and the others were not submitted"
            ),
        ] as [(Int, Bool, String)])
    func stoppedSubmitting(accepted: Int, isCertain: Bool, text: String) {
        let failure = CommandFailure.stoppedSubmitting(accepted, of: 5, isCertain: isCertain)
        #expect(failure.message == text && failure.status == .detached)
        #expect(failure.nextStep == (accepted == 0 ? "submit them again" : "gantry job list"))
    }

    @Test("the widest cells of a table give way, and nothing is cut where there is no terminal")
    func table() {
        var table = TextTable("job", "subject", "why")
        table.add("17", "load items?count=100&parameter=sample", "no attached worker offers the loader")
        let whole = table.text(columns: nil)
        #expect(whole.contains("parameter=sample  no attached worker offers the loader"))
        #expect(
            table.text(columns: 40) == """
                JOB  SUBJECT           WHY
                17   load items?coun…  no attached work…
                """)
        #expect(table.text(columns: 1_000) == whole)
    }

    @Test("a note stands below its row and is folded, not cut")
    func note() {
        var table = TextTable("feed", "state")
        table.add("items", "failed: unreachable; 20 items", note: "http://127.0.0.1:9999/ cannot be reached: check")
        table.add("todos", "no content yet")
        #expect(
            table.text(columns: 28) == """
                FEED   STATE
                items  failed: unreachable;…
                  http://127.0.0.1:9999/
                    cannot be reached: check
                todos  no content yet
                """)
    }

    @Test("of a usage no option is parted from its value, in an error and in the help, whose other lines stay")
    func usage() {
        let usage = "gantry job submit <loader> [--tag <tag> ...] [--output <output>] [--wait]"
        let below = "       [--tag <tag> ...]\n       [--output <output>] [--wait]"
        for columns in [35, 38, 42] {
            for label in ["usage:", TextStyle(isColored: true).bold("usage:")] {
                #expect(TextFit.fold("\(label) \(usage)", columns: columns) == "\(label) gantry job submit <loader>\n\(below)")
            }
            let help = "OVERVIEW: words, words, words, words, words\n\nUSAGE: \(usage)\n\nOPTIONS:"
            let folded = "OVERVIEW: words, words, words, words, words\n\nUSAGE: gantry job submit <loader>\n\(below)\n\nOPTIONS:"
            #expect(TextFit.fold(help: help, columns: columns) == folded)
        }
    }

    @Test("of jobs the state is never cut: columns that are empty go first, then those that may")
    func narrowJobs() {
        let narrowing = TextTable.Narrowing(whole: ["job", "state", "accepted"], dropped: ["priority", "tags"])
        var table = TextTable(["job", "state", "subject", "priority", "tags", "accepted", "worker"], narrowing: narrowing)
        table.add("7", "succeeded", "load items?count=100&parameter=sample", "4", "nightly", "12:00:01", "")
        table.add("6", "quarantined", "sleep", "4", "", "12:00:00", "")
        #expect(
            table.text(columns: 60) == """
                JOB  STATE        SUBJECT                  TAGS     ACCEPTED
                7    succeeded    load items?count=100&p…  nightly  12:00:01
                6    quarantined  sleep                             12:00:00
                """)
        let narrow = table.text(columns: 45)
        #expect(narrow.hasPrefix("JOB  STATE        SUBJECT            ACCEPTED\n7    succeeded    load items?count…  12:00:01"))
        #expect(table.text(columns: 36).contains("\n6    quarantined  sleep     12:00:00"))
        let wide = table.text(columns: 1_000).prefix { $0 != "\n" }.split(separator: " ")
        #expect(wide == ["JOB", "STATE", "SUBJECT", "PRIORITY", "TAGS", "ACCEPTED", "WORKER"])
    }

    @Test("the state of a feed goes on below itself, so that nothing of it is lost")
    func foldedState() {
        var table = TextTable(["feed", "state"], narrowing: TextTable.Narrowing(foldsLast: true))
        table.add("items?count=100&parameter=sample", "100 items (edited locally, saved on disk)")
        #expect(
            table.text(columns: 60) == """
                FEED                              STATE
                items?count=100&parameter=sample  100 items (edited locally,
                                                  saved on disk)
                """)
        let narrow = table.text(columns: 40)
        #expect(narrow.hasPrefix("FEED                 STATE\nitems?count=100&pa…  100 items (edited\n                     locally"))
    }

    @Test("an item is a line for each field")
    func fields() {
        let item = Array(#"{"price":8.5,"title":"a","id":"1","rating":{"rate":1.4}}"#.utf8)
        #expect(ItemFields.text(item) == "  id      1\n  title   a\n  price   8.5\n  rating  {\"rate\":1.4}")
        #expect(ItemFields.text(Array("[1]".utf8)) == "[1]")
    }

    @Test("items are a table with id and title first and as many fields as fit, the narrow ones before the wide ones")
    func items() {
        let items = [#"{"id":"1","title":"a","text":"a long text of some words","price":8.5,"rating":{"rate":1.4}}"#, #"{"id":"2"}"#]
        #expect(
            ItemTable(items).text(columns: 60) == """
                ID  TITLE  PRICE  RATING        TEXT
                1   a      8.5    {"rate":1.4}  a long text of some words
                2                               
                """)
        let dated = ItemTable([#"{"id":"1","title":"a","createdAt":"2025-01-06T03:41:00.000Z"}"#]).text(columns: 60)
        #expect(dated.hasSuffix("1   a      2025-01-06 03:41Z"), "\(dated)")
        #expect(ItemTable(items).hiddenCount(columns: 60) == 0 && ItemTable(items).hiddenCount(columns: 30) == 1)
        #expect(ItemTable(items).text(columns: 30).hasPrefix("ID  TITLE  PRICE  RATING\n1   a      8.5    {\"rate\":1.4}\n"))
    }

    @Test("one long title is cut and hides no field that has room beside it; where there is none to show, it has the whole line")
    func longTitle() {
        let title = "a title that is much longer than all of the other titles in this table"
        let items = [#"{"id":"1","title":"\#(title)","price":8.5,"rating":4}"#, #"{"id":"2","title":"b","price":12,"rating":1}"#]
        #expect(
            ItemTable(items).text(columns: 60) == """
                ID  TITLE                                      PRICE  RATING
                1   a title that is much longer than all of …  8.5    4
                2   b                                          12     1
                """)
        #expect(ItemTable(items).hiddenCount(columns: 60) == 0 && ItemTable(items).hiddenCount(columns: 100) == 0)
        let untold = #"{"id":"1","title":"\#(title)"}"#
        #expect(ItemTable([untold]).text(columns: 60).hasSuffix("\n1   a title that is much longer than all of the other title…"))
    }
}
