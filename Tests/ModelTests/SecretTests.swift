//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Testing

@Suite("Secrets and fingerprints")
struct SecretTests {
    @Test("SipHash-2-4 gives its authors' value for the message 00 to 07 under the key 00 to 0f")
    func vector() {
        let hash = SipHash(key: 0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908)
        #expect(hash.hash(0x0706_0504_0302_0100) == 0x93F5_F579_9A93_2462)
    }

    @Test("a token admits itself and nothing else")
    func token() throws {
        let token = try #require(SharedToken([1, 2, 3]))
        #expect(token.admits([1, 2, 3]))
        for other: [UInt8] in [[], [1, 2], [1, 2, 4], [0, 2, 3], [1, 2, 3, 0]] { #expect(!token.admits(other)) }
        #expect(SharedToken([]) == nil)
        #expect(SharedToken(Array(repeating: 1, count: 65)) == nil)
    }

    @Test("each part of a request makes another fingerprint")
    func fingerprints() throws {
        let key = try #require(FeedKey(name: "items"))
        let other = try #require(FeedKey(name: "todos"))
        let bodies: [RequestBody] = [
            .load(key), .load(other), .refresh(key), .reset(key, version: nil), .reset(key, version: ContentVersion(0)), .cancel(JobID(1)),
            .explain(JobID(1)), .reprioritize(JobID(1), priority: 1), .reprioritize(JobID(1), priority: 2),
            .reprioritize(JobID(2), priority: 1), .create(key, item: [1]), .update(key, itemID: "1", item: []),
            .update(key, itemID: "", item: [1]),
            .sort(key, view: "a", order: nil, version: nil), .sort(key, view: "a", order: SortOrder(field: "b"), version: nil),
            .sort(key, view: "a", order: SortOrder(field: "b", ascending: false), version: nil),
            .sort(key, view: "a", order: SortOrder(field: "b"), version: 0), .filter(key, view: "a", text: "", version: nil),
            .filter(key, view: "a", text: "b", version: nil), .select(key, view: "a", itemID: nil, version: nil),
            .select(key, view: "a", itemID: "", version: nil), .attach(key, view: "a"), .detach(key, view: "a"),
            .listJobs(JobQuery()), .listJobs(JobQuery(limit: 51)), .listJobs(JobQuery(tags: ["a"])), .listJobs(JobQuery(tags: ["a", "b"])),
            .outcomes([]), .outcomes([JobID(1)]), .listFeeds(),
            .listFeeds(after: key), .retry(key, view: "a", failure: FailureID(1)), .retry(key, view: "a", failure: FailureID(2)),
        ]
        #expect(Set(bodies.map(\.fingerprint)).count == bodies.count)
        var submit = ClientMessage.Submit(
            number: RequestNumber(1), lowestUnanswered: RequestNumber(1), loader: "echo", arguments: [[1], [2, 3]])
        var prints = [submit.fingerprint]
        submit.arguments = [[1, 2], [3]]
        prints.append(submit.fingerprint)
        submit.arguments = [[1, 2], [4]]
        prints.append(submit.fingerprint)
        submit.options = JobOptionsColumn(JobOptions(priority: 6))
        prints.append(submit.fingerprint)
        submit.options = JobOptionsColumn([5, 6].map { JobOptions(priority: $0) })
        prints.append(submit.fingerprint)
        submit.options = JobOptionsColumn([6, 5].map { JobOptions(priority: $0) })
        prints.append(submit.fingerprint)
        for tags in [["ab"], ["a", "b"], ["b", "a"]] {
            submit.options = JobOptionsColumn(JobOptions(tags: tags))
            prints.append(submit.fingerprint)
        }
        submit.reportsOutcomes = true
        prints.append(submit.fingerprint)
        #expect(Set(prints).count == 10)
        (submit.number, submit.lowestUnanswered) = (RequestNumber(2), RequestNumber(2))
        #expect(submit.fingerprint == prints.last)
    }
}
