//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("The whole names of feeds")
struct ResolvedKeyTests {
    private func request(_ number: UInt64, _ lowest: UInt64, _ body: RequestBody = .listFeeds()) -> ClientMessage {
        .request(.init(number: RequestNumber(number), lowestUnanswered: RequestNumber(lowest), body: body))
    }

    @Test("replies and snapshots name the feed with its defaults filled in")
    func resolved() throws {
        var front = FrontHarness()
        front.open()
        let short = try #require(FeedKey(name: "items"))
        let whole = try #require(FeedKey(name: "items", parameters: [.init(name: "parameter", value: "sample")]))
        guard case .send(_, _, .reply(_, .accepted, let feed)) = front.send(request(1, 1, .feed(short, .load))).last else {
            Issue.record("not accepted")
            return
        }
        #expect(feed == whole)
        #expect(
            front.send(.snapshot(topic: .feed(short)))
                == [.sendSnapshot(front.client, front.session, .feed(whole), asked: "feed/items")])
        #expect(
            front.send(.snapshot(topic: .view(whole, "mine"), asked: "view/items?parameter=s%61mple/mine"))
                == [
                    .sendSnapshot(front.client, front.session, .view(whole, "mine"), asked: "view/items?parameter=s%61mple/mine")
                ])
        #expect(front.send(.snapshotPartRead(topic: .feed(short))) == [.continueSnapshot(front.client, front.session, .feed(whole))])
        // The repeat names it too.
        #expect(
            front.send(request(1, 1, .feed(short, .load))).last
                == .send(front.client, front.session, .reply(number: RequestNumber(1), .accepted(JobID(1), joined: false), feed: whole)))
    }

    @Test("a topic of a feed that cannot be is refused for good, under the text that asked for it")
    func impossibleTopic() throws {
        var front = FrontHarness()
        front.open()
        let unknown = try #require(FeedKey(name: "things"))
        for (message, text) in [
            (ClientMessage.snapshot(topic: .feed(unknown)), "feed/things"),
            (.snapshot(topic: .view(unknown, "mine"), asked: "view/th%69ngs/mine"), "view/th%69ngs/mine"),
        ] {
            let actions = front.send(message)
            guard actions.count == 1, case .send(front.client, _, .snapshotRefused(text, let failure, .zero))? = actions.first else {
                Issue.record("\(actions)")
                continue
            }
            #expect(failure.code == .unknownFeed && !failure.retryable)
        }
        #expect(front.send(.snapshotPartRead(topic: .feed(unknown))) == [])
    }

    @Test("every request about a feed is answered with its whole name, also while the disk is full", arguments: [false, true])
    func resolvedAlways(isFull: Bool) throws {
        var front = FrontHarness()
        front.open()
        _ = front.submit(1)
        if isFull { front.handle(.storageFull(true)) }
        let short = try #require(FeedKey(name: "items"))
        let whole = try #require(FeedKey(name: "items", parameters: [.init(name: "parameter", value: "sample")]))
        let asked: [RequestBody] = [
            .feed(short, .load), .feed(short, .refresh), .feed(short, .retry(view: "shared", failure: FailureID(1))),
            .feed(short, .reset(version: nil)),
            .feed(short, .cancelLoad(only: nil)), .feed(short, .create(item: [])), .feed(short, .update(itemID: "1", item: [])),
            .feed(short, .sort(view: "shared", order: nil, version: nil)), .feed(short, .filter(view: "shared", text: "", version: nil)),
            .feed(short, .select(view: "shared", itemID: nil, version: nil)), .feed(short, .attach(view: "shared")),
            .feed(short, .detach(view: "shared")),
        ]
        for (place, body) in asked.enumerated() {
            let number = UInt64(place) + 2
            guard case .send(_, _, .reply(_, let reply, let feed)) = front.send(request(number, number, body)).last else {
                Issue.record("no reply: \(body)")
                continue
            }
            #expect(feed == whole, "\(body): \(reply)")
        }
    }
}
