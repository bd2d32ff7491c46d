//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantrySettings
import Testing

@Suite("Loads of feeds in gantry.yaml")
struct FeedLoadsTests {
    private func configuration(_ loads: String, more: String = "") throws(ConfigurationError) -> GantryConfiguration {
        try GantryConfiguration(
            yaml: """
                version: 1
                feeds:
                  products:
                    source: { loader: prices }
                    loads: \(loads)
                    \(more)
                """)
    }

    private func fault(_ loads: String, more: String = "") -> String {
        do {
            _ = try configuration(loads, more: more)
            return "none"
        } catch {
            return error.description
        }
    }

    @Test("a debounce, its longest wait, and what becomes of a load that is asked for while one runs")
    func read() throws {
        let rule = try #require(try configuration("{ debounce: 300ms, longest: 2s, while-running: again }").definitions.first?.loads)
        #expect(rule.debounce == Debounce(quiet: .milliseconds(300), longest: .seconds(2)) && rule.buffersOne)
        #expect(rule.line == "loads once nobody has asked for 0.3 s, after 2 s at most, loads once more after a running load")
        let plain = try #require(try configuration("{ debounce: 1s, while-running: join }").definitions.first?.loads)
        #expect(plain.debounce == Debounce(quiet: .seconds(1), longest: .seconds(10)) && !plain.buffersOne)
        #expect(try configuration("{}").definitions.first?.loads == FeedLoadRule())
        #expect(FeedLoadRule().line.isEmpty)
    }

    @Test("what contradicts itself is refused with what to write instead")
    func refused() {
        let faults: [(String, String, String)] = [
            ("{ longest: 2s }", "", "a longest wait and no debounce: write for example debounce: 300ms"),
            ("{ debounce: 2s, longest: 1s }", "", "the longest wait of a debounced job is at least the quiet time"),
            ("{ debounce: 31d }", "", "debounce of the loads of feed products"),
            ("{ while-running: later }", "", "while-running \"later\" is not known; choose join, again"),
            ("{ while-running: again }", "editable: true", "write \"while-running: join\""),
            ("{ throttle: 1s }", "", "throttle"),
        ]
        for (loads, more, text) in faults {
            let fault = fault(loads, more: more)
            #expect(fault.contains(text), "\(loads): \(fault)")
        }
    }

    @Test("a feed without a source loads nothing")
    func noSource() {
        let yaml = "version: 1\nfeeds: { notes: { editable: true, item: { id: /id }, loads: { debounce: 1s } } }"
        #expect { try GantryConfiguration(yaml: yaml) } throws: { "\($0)".contains("feed notes has no source, so nothing is loaded") }
    }
}
