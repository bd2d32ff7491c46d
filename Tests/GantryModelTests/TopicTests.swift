//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@Suite("Topics")
struct TopicTests {
    @Test("those that each front has are told from others, and read back from their words")
    func ofFront() throws {
        let key = try #require(FeedKey(text: "jobs"))
        let words = ["jobs", "workers", "front", "storage", "limits", "pauses", "clients"]
        #expect(FrontTopic.allCases.map(\.rawValue) == words)
        for topic in FrontTopic.allCases.map(Topic.ofFront) {
            #expect(topic.isOfFront && Topic(topic.description) == topic && Topic(frame: topic.frame) == topic)
        }
        for topic in [Topic.feed(key), .view(key, "shared"), .job(JobID(1))] {
            #expect(!topic.isOfFront && Topic(topic.description) == topic)
        }
        for text in ["", "job", "Jobs", "jobs/", "front/front", "job/01", "limit", "schedules"] { #expect(Topic(text) == nil) }
    }
}
