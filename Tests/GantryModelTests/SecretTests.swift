//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
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
            .feed(key, .load), .feed(other, .load), .feed(key, .refresh), .feed(key, .reset(version: nil)),
            .feed(key, .reset(version: ContentVersion(0))), .job(.cancel(JobID(1))),
            .job(.explain(JobID(1))), .job(.reprioritize(JobID(1), priority: 1)), .job(.reprioritize(JobID(1), priority: 2)),
            .job(.reprioritize(JobID(2), priority: 1)), .job(.forgive(JobID(1))),
            .job(.list(JobQuery(feed: "a"))), .job(.list(JobQuery(code: .timedOut))),
            .job(.list(JobQuery(changedBefore: WallTime(milliseconds: 1)))), .job(.bulk(BulkRequest(.cancel, JobQuery()))),
            .job(.bulk(BulkRequest(.cancel, JobQuery(), isDry: true))), .job(.bulk(BulkRequest(.forgive, JobQuery()))),
            .job(.bulk(BulkRequest(.retry, JobQuery()))),
            .job(.bulk(BulkRequest(.promote, JobQuery()))), .job(.bulk(BulkRequest(.reprioritize(1), JobQuery()))),
            .job(.bulk(BulkRequest(.reprioritize(2), JobQuery()))), .job(.bulk(BulkRequest(.delay(.now), JobQuery()))),
            .feed(key, .create(item: [1])),
            .feed(key, .update(itemID: "1", item: [])),
            .feed(key, .update(itemID: "", item: [1])),
            .feed(key, .sort(view: "a", order: nil, version: nil)),
            .feed(key, .sort(view: "a", order: SortOrder(field: "b"), version: nil)),
            .feed(key, .sort(view: "a", order: SortOrder(field: "b", ascending: false), version: nil)),
            .feed(key, .sort(view: "a", order: SortOrder(field: "b"), version: 0)), .feed(key, .filter(view: "a", text: "", version: nil)),
            .feed(key, .filter(view: "a", text: "b", version: nil)), .feed(key, .select(view: "a", itemID: nil, version: nil)),
            .feed(key, .select(view: "a", itemID: "", version: nil)), .feed(key, .attach(view: "a")), .feed(key, .detach(view: "a")),
            .job(.list(JobQuery())), .job(.list(JobQuery(limit: 51))), .job(.list(JobQuery(tags: ["a"]))),
            .job(.list(JobQuery(tags: ["a", "b"]))),
            .job(.outcomes([])), .job(.outcomes([JobID(1)])), .listFeeds(),
            .drainWorker(WorkerID(1)), .drainWorker(WorkerID(2)), .listFeeds(after: key), .limit(.set("a", LimitRule(capacity: 1))),
            .limit(.set("a", LimitRule(capacity: 2))),
            .limit(.set("a", LimitRule(capacity: 1, refill: LimitRefill(1, per: .seconds(1))))),
            .limit(.set("a", LimitRule(refill: LimitRefill(1, per: .seconds(1))))),
            .limit(.set("a", LimitRule(refill: LimitRefill(1, per: .seconds(1), burst: 2)))),
            .limit(.set("a", LimitRule(refill: LimitRefill(1, per: .seconds(1), burst: 2, beyond: .refuse)))),
            .limit(.set("b", LimitRule(capacity: 1))), .limit(.delete("a")),
            .pause(.begin(.worker("a"), reason: "", length: nil)), .pause(.end(.worker("a"))),
            .pause(.begin(.everything, reason: "", length: nil)), .pause(.begin(.everything, reason: "", length: .seconds(1))),
            .pause(.begin(.everything, reason: "a", length: nil)), .pause(.begin(.loader("a"), reason: "", length: nil)),
            .pause(.end(.everything)), .pause(.end(.loader("a"))),
            .feed(key, .retry(view: "a", failure: FailureID(1))),
            .feed(key, .retry(view: "a", failure: FailureID(2))),
        ]
        #expect(Set(bodies.map(\.fingerprint)).count == bodies.count)
        var submit = ClientMessage.Submit(
            number: RequestNumber(1), lowestUnanswered: RequestNumber(1), loader: "echo", arguments: [[1], [2, 3]])
        var prints = [submit.fingerprint]
        submit.takesAnyLoader = true
        prints.append(submit.fingerprint)
        (submit.takesAnyLoader, submit.repeatsAgain) = (false, true)
        prints.append(submit.fingerprint)
        submit.repeatsAgain = false
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
        #expect(Set(prints).count == 12)
        (submit.number, submit.lowestUnanswered) = (RequestNumber(2), RequestNumber(2))
        #expect(submit.fingerprint == prints.last)
    }
}
