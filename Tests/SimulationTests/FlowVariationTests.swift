//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import Testing

@testable import Simulation

@Suite("Limits of a world's feeds")
struct FlowVariationTests {
    private let flows = Seeds.standard.map { FlowVariation(seed: $0) }

    @Test("some worlds count feeds apart by their hosts, some by a parameter, and most not at all")
    func drawn() {
        let values = flows.compactMap(\.feedLimitValue)
        #expect(Set(values) == [.host, .parameter("parameter")])
        #expect((flows.count / 4...flows.count / 2).contains(values.count))
        #expect(flows.allSatisfy { !$0.isCrowded || $0.feedLimitValue == nil })
    }

    @Test("loads of a feed are debounced in some worlds and follow each other in some, also where they count in a limit")
    func loads() {
        let rules = flows.map { $0.feeds[0].loads }
        #expect((flows.count / 4...flows.count / 2).contains(rules.count { $0.debounce != nil }))
        #expect((flows.count / 8...flows.count / 2).contains(rules.count { $0.buffersOne }))
        #expect(rules.allSatisfy { $0.debounce?.fault == nil })
        #expect(flows.contains { $0.feeds[0].loads.debounce != nil && $0.feedLimitValue != nil })
        #expect(flows.allSatisfy { $0.feeds.dropFirst().allSatisfy { $0.loads == FeedLoadRule() } })
    }

    @Test("what a feed's job is to count in is what the front's configuration says", arguments: Feeds.keys.dropLast())
    func expected(_ key: FeedKey) throws {
        let feed = try #require(Feeds.definitions.first { $0.name == key.name })
        for flow in flows {
            for operation in [FeedOperation.load, .detail] where operation == .load || feed.hasOwnDetails {
                let given = flow.settings(of: Epoch(1)).limitKeys(of: JobOptions(), loader: "http", feed: key.name) {
                    $0.value(for: operation, of: key, feed)
                }
                #expect(flow.limitKeys(of: key, operation, loader: "http") == given)
            }
            #expect(flow.limitKeys(of: key, .merge, loader: "list").isEmpty)
        }
    }

    @Test("a job of a feed that counts in other limits breaks them")
    func noticed() throws {
        var watch = LimitWatch()
        watch.ofFeeds = { [LimitKey("source", value: $0.key.name)] }
        let key = try #require(FeedKey(text: "todos"))
        var job = JournalEntry.FeedJob(
            job: JobID(1), key: key, operation: .load, loader: "http", acceptedAt: WallTime(milliseconds: 0))
        job.options.limitKeys = [LimitKey("source", value: "todos")]
        #expect(watch.fault(of: job) == nil)
        job.options.limitKeys = [LimitKey("source")]
        #expect(watch.fault(of: job) == #"job 1, the load of todos, counts in the limits "source", not in "source=todos""#)
    }
}
