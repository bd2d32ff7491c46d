//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Synchronization
import TestSupport
import Testing

@testable import GantryClient

@Suite("Pages and details at the client")
struct PageTests {
    private let content = ObjectReference(digest: ObjectDigest(words: (1, 0, 0, 0)), byteCount: 1, itemCount: 1)

    private func connected(_ front: ScriptedFront) async throws -> GantryClient {
        try front.start()
        return try await front.client()
    }

    @Test("a view that nobody has made yet shows the order of shared, as it would begin, but for its filter", .timeLimit(.minutes(5)))
    func unmadeView() async throws {
        let front = try ScriptedFront()
        let key = FeedKey.named("items")
        var shared = ViewState(name: ViewName.shared)
        shared.sort = SortOrder(field: "title")
        shared.revision = ViewRevision(content: content, order: content, version: ContentVersion(3), sort: shared.sort, filter: "")
        front.put("view", .view(shared), of: .view(key, ViewName.shared))
        front.script.withLock { $0.page = { PageReply(number: $0.number, items: [Array("{}".utf8)], itemCount: 1) } }
        let client = try await connected(front)
        let page = try await client.page(of: key, view: "new")
        #expect(page.revision == shared.revision && page.view.sort == shared.sort && page.view.name == "new")
        await client.close()
        await front.stop()
    }

    @Test("where shared has nothing to show, such a view shows the feed's items in their own order", .timeLimit(.minutes(5)))
    func newView() async throws {
        let front = try ScriptedFront()
        let key = FeedKey.named("items")
        var feed = FeedState(key: key)
        feed.content = FeedContent(
            object: content, version: ContentVersion(3), source: .network, storedAt: WallTime(milliseconds: 1), isPersistent: false)
        front.put("feed", .feed(feed), of: .feed(key))
        front.script.withLock { $0.page = { PageReply(number: $0.number, items: [Array("{}".utf8)], itemCount: 1) } }
        let client = try await connected(front)
        let page = try await client.page(of: key, view: "new")
        #expect(page.items.count == 1)
        #expect(page.revision == ViewRevision(content: content, order: nil, version: ContentVersion(3), sort: nil, filter: ""))
        let error = await #expect(throws: ClientError.self) { try await client.page(of: .named("empty"), view: "new") }
        #expect(error?.code == .notFound)
        await client.close()
        await front.stop()
    }

    @Test("a view's name that is none is told at once, for a front says nothing of it", .timeLimit(.minutes(5)))
    func noView() async throws {
        let front = try ScriptedFront()
        let client = try await connected(front)
        let page = await #expect(throws: ClientError.self) { try await client.page(of: .named("items"), view: "NEW") }
        let state = await #expect(throws: ClientError.self) { try await client.current(.view(.named("items"), "NEW")) }
        for error in [page, state] { #expect(error?.code == .invalidInput && error?.context.contains("\"NEW\" names no view") == true) }
        await client.close()
        await front.stop()
    }

    @Test("a detail that is too large for the view's state is read in parts", .timeLimit(.minutes(5)))
    func storedDetail() async throws {
        let text = Array(String(repeating: "detail ", count: 200_000).utf8)
        let front = try ScriptedFront()
        front.script.withLock {
            $0.page = { request in
                var reply = PageReply(number: request.number, itemCount: UInt64(text.count))
                guard request.readsBytes else { return reply }
                reply.data = Array(text.dropFirst(Int(request.offset)).prefix(Int(request.limit)))
                return reply
            }
        }
        let client = try await connected(front)
        var view = ViewState(name: "shared")
        #expect(try await client.detail(of: view) == nil)
        view.detail = .loaded([1, 2])
        #expect(try await client.detail(of: view) == [1, 2])
        view.detail = .stored(ObjectReference(digest: content.digest, byteCount: UInt64(text.count), itemCount: 0))
        #expect(try await client.detail(of: view) == text)
        let shown = view
        let error = await #expect(throws: ClientError.self) { try await client.detail(of: shown, limit: 1_000) }
        #expect(error?.code == .tooLarge)
        await client.close()
        await front.stop()
    }

    @Test("every question for a page or for a part of a detail brings the client's token", .timeLimit(.minutes(5)))
    func token() async throws {
        let front = try ScriptedFront()
        front.script.withLock {
            $0.page = { request in
                var reply = PageReply(number: request.number, items: [Array("{}".utf8)], itemCount: 1)
                reply.data = request.readsBytes ? [7] : []
                if request.token != [1, 2, 3] { reply.failure = Failure(code: .notAuthorized, text: "who asks?") }
                return reply
            }
        }
        try front.start()
        let client = try await front.client([1, 2, 3])
        let revision = ViewRevision(content: content, order: nil, version: ContentVersion(3), sort: nil, filter: "")
        #expect(try await client.page(by: revision).items.count == 1)
        var view = ViewState(name: "shared")
        view.detail = .stored(content)
        #expect(try await client.detail(of: view) == [7])
        await client.close()
        await front.stop()
    }

    @Test("at most 64 questions for pages are under way; the next one is sent when one is answered")
    func underWay() {
        var calls = PageCalls()
        let now = MonotonicTime(nanoseconds: 1)
        for number in 0..<100 {
            let isTaken = calls.ask(PageRequest(number: 0, content: content.digest), for: CallID(UInt64(number)), at: now)
            #expect(isTaken)
        }
        let first = calls.takeDue(at: now)
        #expect(first.count == PageCalls.underWay)
        #expect(calls.takeDue(at: now).isEmpty)
        #expect(calls.finish(first[0].number) == CallID(0))
        #expect(calls.nextDeadline <= now)
        #expect(calls.takeDue(at: now).count == 1)
    }
}
