//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Samples {
    static let clients: [String: Sample] = [
        "client-hello": .client(ClientEnvelope(messages: [.hello(hello)])),
        "client-conversation": .client(
            ClientEnvelope(
                session: SessionID(9),
                messages: [
                    .heartbeat(lowestUnanswered: RequestNumber(12)), .snapshot(topic: .feed(electronics)),
                    .snapshot(topic: .feed(unsorted), asked: "feed/products?b=2&a=1"), .snapshotPartRead(topic: .jobs), .bye,
                ])),
        "client-requests": .client(ClientEnvelope(session: SessionID(9), messages: requests)),
        "client-submit": .client(ClientEnvelope(session: SessionID(9), messages: [.submit(submit)])),
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
        return hello
    }

    static var submit: ClientMessage.Submit {
        ClientMessage.Submit(
            number: RequestNumber(21), lowestUnanswered: RequestNumber(20), loader: "echo",
            options: JobOptionsColumn([JobOptions(priority: 7), JobOptions(tags: ["nightly", "tenant-7"]), JobOptions(priority: 7)]),
            reportsOutcomes: true, arguments: [Array("abc".utf8), [], Array(repeating: 120, count: 300)])
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
            .load(electronics), .refresh(languages), .retry(languages, view: "shared", failure: FailureID(77)),
            .reset(languages, version: ContentVersion(5)), .reset(languages, version: nil), .cancel(JobID(42)),
            .create(todos, item: Array(#"{"title":"milk"}"#.utf8)), .update(todos, itemID: "local-7", item: Array("{}".utf8)),
            .sort(todos, view: "shared", order: SortOrder(field: "dueAt"), version: 3),
            .sort(todos, view: "mine", order: nil, version: nil), .filter(todos, view: "shared", text: "milk", version: 0),
            .select(todos, view: "shared", itemID: "local-7", version: 4), .select(todos, view: "shared", itemID: nil, version: nil),
            .attach(todos, view: "shared"), .detach(todos, view: "shared"),
        ]
        let asking: [RequestBody] = [
            .listJobs(JobQuery(state: .waiting, loader: "http", tags: ["nightly", "tenant-7"], limit: 50, before: JobID(1_000))),
            .listJobs(JobQuery(limit: 1_000)),
            .explain(JobID(42)), .outcomes([JobID(42), JobID(43)]), .listFeeds(after: todos),
            .cancelLoad(todos, only: nil), .cancelLoad(languages, only: JobID(42)),
            .reprioritize(JobID(42), priority: 9),
        ]
        return (changing + asking).enumerated().map { index, body in
            .request(
                ClientMessage.Request(
                    number: RequestNumber(UInt64(index + 1)), lowestUnanswered: RequestNumber(index < changing.count ? 1 : 2), body: body))
        }
    }
}
