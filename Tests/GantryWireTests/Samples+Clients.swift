//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

extension Samples {
    static let clients: [String: Sample] = [
        "client-hello": .client(ClientEnvelope(messages: [.hello(hello)])),
        "client-conversation": .client(
            ClientEnvelope(
                session: SessionID(9),
                messages: [
                    .heartbeat(lowestUnanswered: RequestNumber(12)), .snapshot(topic: .feed(electronics)),
                    .snapshot(topic: .feed(unsorted), asked: "feed/products?b=2&a=1"), .snapshotPartRead(topic: .jobs), .close,
                ])),
        "client-requests": .client(ClientEnvelope(session: SessionID(9), messages: requests)),
        "client-submit": .client(ClientEnvelope(session: SessionID(9), messages: [.submit(submit)])),
        "client-submit-any-loader": .client(ClientEnvelope(session: SessionID(9), messages: [.submit(early)])),
        "client-submit-retry": .client(ClientEnvelope(session: SessionID(9), messages: retried.map { .submit($0) })),
        "client-submit-unique": .client(ClientEnvelope(session: SessionID(9), messages: unique.map { .submit($0) })),
        "page-request": .pageRequest(
            PageRequest(number: 1, content: list.digest, order: order.digest, offset: 100, limit: 50, token: Array("secret".utf8))),
        "page-reply": .pageReply(
            PageReply(number: 1, items: [Array(#"{"id":"1"}"#.utf8), Array(#"{"id":"2"}"#.utf8)], itemCount: 1_000_000)),
        "page-bytes-request": .pageRequest(bytesRequest),
        "page-bytes-reply": .pageReply(bytesReply),
        "page-failure": .pageReply(PageReply(number: 2, failure: failure)),
    ]

    private static var hello: ClientMessage.Hello {
        var hello = ClientMessage.Hello(label: "cli 4711 on host", resumed: SessionID(0x0123_4567_89AB_CDEF))
        hello.maximumVersion = 2
        hello.nonce = 77
        hello.token = Array("secret".utf8)
        hello.client = "importer"
        return hello
    }

    static var submit: ClientMessage.Submit {
        let delayed = JobOptions(
            priority: 7, start: .after(.seconds(90)),
            retry: RetryRule(attempts: 3, backOff: BackOff(first: .milliseconds(200), longest: .seconds(60), hasJitter: false)))
        let limited = JobOptions(
            tags: ["nightly", "tenant-7"], start: .at(noon), attemptTimeout: .seconds(30),
            limitKeys: [LimitKey("api"), LimitKey("tenant", value: "acme", weight: 3)],
            retryOf: JobID(17), expiresAt: noon.advanced(by: .seconds(600)), totalTimeout: .seconds(3_600),
            hasSecretArgument: true)
        return ClientMessage.Submit(
            number: RequestNumber(21), lowestUnanswered: RequestNumber(20), loader: "echo",
            options: JobOptionsColumn([delayed, limited, delayed]),
            reportsOutcomes: true, arguments: [Array("abc".utf8), [], Array(repeating: 120, count: 300)])
    }

    /// Jobs that say a part of how often they are tried, and how often after some codes.
    private static var retried: [ClientMessage.Submit] {
        let rules = [
            RetryRule(backOff: BackOff(first: .seconds(2))), RetryRule(backOff: BackOff(longest: .milliseconds(500), hasJitter: true)),
            RetryRule(
                attempts: 3,
                codes: [
                    .never(after: .invalidData),
                    CodeRetryRule(
                        .unreachable, attempts: 20, backOff: BackOff(first: .seconds(60), longest: .seconds(3_600), hasJitter: false)),
                    CodeRetryRule(.timedOut, backOff: BackOff(hasJitter: false)),
                ]),
        ]
        return rules.enumerated().map { number, rule in
            ClientMessage.Submit(
                number: RequestNumber(UInt64(21 + number)), lowestUnanswered: RequestNumber(20), loader: "echo",
                options: JobOptionsColumn(JobOptions(retry: rule)), arguments: [Array("abc".utf8)])
        }
    }

    /// A job whose worker is still to come.
    private static var early: ClientMessage.Submit {
        var submit = ClientMessage.Submit(
            number: RequestNumber(22), lowestUnanswered: RequestNumber(20), loader: "echo", arguments: [Array("abc".utf8)])
        (submit.takesAnyLoader, submit.repeatsAgain) = (true, true)
        return submit
    }

    /// A job for each mode of a unique key.
    private static var unique: [ClientMessage.Submit] {
        let keys = [
            UniqueKey("nightly", afterEnd: .seconds(600)), UniqueKey("tenant 7/\u{E9}", mode: .untilStarted),
            UniqueKey("x", mode: .replace), UniqueKey("y", debounce: Debounce(quiet: .seconds(5), longest: .seconds(60))),
            UniqueKey("z", mode: .buffer),
        ]
        return keys.enumerated().map { index, key in
            ClientMessage.Submit(
                number: RequestNumber(UInt64(21 + index)), lowestUnanswered: RequestNumber(20), loader: "echo",
                options: JobOptionsColumn(JobOptions(uniqueKey: key)), arguments: [Array("abc".utf8)])
        }
    }

    private static var bytesRequest: PageRequest {
        var request = PageRequest(number: 3, content: list.digest, offset: 524_288, limit: 524_288)
        request.readsBytes = true
        return request
    }

    private static var bytesReply: PageReply {
        var reply = PageReply(number: 3, itemCount: 524_290)
        reply.data = Array("\"}".utf8)
        return reply
    }

    private static var requests: [ClientMessage] {
        let changing: [RequestBody] = [
            .feed(electronics, .load), .feed(languages, .refresh), .feed(languages, .retry(view: "shared", failure: FailureID(77))),
            .feed(languages, .reset(version: ContentVersion(5))), .feed(languages, .reset(version: nil)), .job(.cancel(JobID(42))),
            .feed(todos, .create(item: Array(#"{"title":"milk"}"#.utf8))), .feed(todos, .update(itemID: "local-7", item: Array("{}".utf8))),
            .feed(todos, .sort(view: "shared", order: SortOrder(field: "dueAt"), version: 3)),
            .feed(todos, .sort(view: "mine", order: nil, version: nil)), .feed(todos, .filter(view: "shared", text: "milk", version: 0)),
            .feed(todos, .select(view: "shared", itemID: "local-7", version: 4)),
            .feed(todos, .select(view: "shared", itemID: nil, version: nil)),
            .feed(todos, .attach(view: "shared")), .feed(todos, .detach(view: "shared")),
        ]
        let asking: [RequestBody] = [
            .job(.list(JobQuery(state: .waiting, loader: "http", tags: ["nightly", "tenant-7"], limit: 50, before: JobID(1_000)))),
            .job(.list(JobQuery(limit: 1_000).of([.failed, .cancelled, .expired]))),
            .job(.explain(JobID(42))), .job(.outcomes([JobID(42), JobID(43)])), .listFeeds(after: todos),
            .feed(todos, .cancelLoad(only: nil)), .feed(languages, .cancelLoad(only: JobID(42))),
            .job(.reprioritize(JobID(42), priority: 9)), .drainWorker(WorkerID(5)), .job(.promote(JobID(42))),
            .job(.delay(JobID(42), .after(.milliseconds(90_000)))), .job(.delay(JobID(42), .at(noon))),
            .limit(.set("api", LimitRule(capacity: 5, refill: LimitRefill(100, per: .seconds(900), burst: 20, beyond: .refuse)))),
            .limit(.delete("api")),
            .pause(.begin(.loader("slow"), reason: "the API is down", length: .seconds(60))),
            .pause(.begin(.everything, reason: "", length: nil)), .pause(.end(.loader("slow"))),
            .job(.forgive(JobID(42))), .job(.list(JobQuery(feed: "todos", code: .timedOut, changedBefore: noon))),
            .job(.bulk(BulkRequest(.cancel, JobQuery(loader: "slow")))),
            .job(.bulk(BulkRequest(.promote, JobQuery(loader: "slow", before: JobID(42)), isDry: true))),
            .job(.bulk(BulkRequest(.delay(.after(.milliseconds(90_000))), JobQuery()))),
            .job(.bulk(BulkRequest(.reprioritize(9), JobQuery()))), .job(.bulk(BulkRequest(.forgive, JobQuery()))),
            .job(.bulk(BulkRequest(.retry, JobQuery(state: .failed)))),
            .pause(.begin(.worker("importer 1"), reason: "new disk", length: nil)), .pause(.end(.worker("importer 1"))),
            .pause(.end(.everything)),
            .pause(.begin(.group("shop"), reason: "the sale", length: .seconds(60))), .pause(.end(.group("shop"))),
        ]
        return (changing + asking).enumerated().map { index, body in
            .request(
                ClientMessage.Request(
                    number: RequestNumber(UInt64(index + 1)), lowestUnanswered: RequestNumber(index < changing.count ? 1 : 2), body: body))
        }
    }
}
