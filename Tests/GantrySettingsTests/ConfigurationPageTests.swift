//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport
import Testing

@testable import GantrySettings

/// What `deploy/CONFIGURATION.md` says is what the readers take.
@Suite("The page about gantry.yaml")
struct ConfigurationPageTests {
    private func page() throws -> String { try CheckoutFolder.text("deploy/CONFIGURATION.md") }

    @Test("each table has the keys of its reader, in the same order")
    func keys() throws {
        var title = ""
        var keys: [String: [String]] = [:]
        for line in try page().components(separatedBy: "\n") {
            if line.hasPrefix("#") { title = String(line.drop { $0 == "#" || $0 == " " }) }
            guard line.hasPrefix("| `") else { continue }
            keys[title, default: []].append(String(line.dropFirst(3).prefix { $0 != "`" }))
        }
        let readers: [String: [String]] = [
            "Top level": GantryConfiguration.keys, "http": GantryConfiguration.httpKeys, "http.timeout": GantryConfiguration.timeoutKeys,
            "feeds.NAME": FeedReader.keys, "source": FeedReader.sourceKeys, "source.http": FeedReader.httpKeys,
            "parameters.NAME": FeedReader.parameterKeys, "item": FeedReader.itemKeys, "item.fields.NAME": FeedReader.fieldKeys,
            "loads": FeedReader.loadsKeys, "sort": FeedReader.sortKeys, "limits.NAME": FlowReader.limitKeys,
            "loaders.NAME": FlowReader.loaderKeys, "loaders.NAME.retry": RetryReader.keys,
            "clients.NAME": FlowReader.clientKeys, "jobs": GantryConfiguration.jobKeys, "jobs.KIND": GantryConfiguration.keepKeys,
        ]
        for (section, known) in readers { #expect(keys[section] == known, "\(section)") }
        #expect(Set(keys.keys) == Set(readers.keys))
    }

    @Test("each example is a configuration with one feed")
    func examples() throws {
        let blocks = try page().components(separatedBy: "```yaml\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
        #expect(blocks.count == 4)
        for block in blocks { #expect(try GantryConfiguration(yaml: block).feeds.count == 1, "\(block)") }
    }
}
