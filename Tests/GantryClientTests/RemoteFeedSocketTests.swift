//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Loading
import Synchronization
import TestSupport
import Testing

@testable import GantryClient

@MainActor
@Suite("A feed of a front as a loader, over real sockets", .timeLimit(.minutes(5)))
struct RemoteFeedSocketTests {
    private struct Product: Hashable, Sendable, Decodable { let title: String }

    private let key = FeedKey.named("products")

    /// A front that accepts each load as the next job, and runs it at once unless told otherwise.
    private func startFront(runsJobs: Bool = true) throws -> ScriptedFront {
        let front = try ScriptedFront()
        let key = key
        let nextJob = Mutex<UInt64>(3)
        front.put("feed", .feed(FeedState(key: key)), of: .feed(key))
        front.put("view", .view(ViewState(name: "shared")), of: .view(key, "shared"))
        front.script.withLock { script in
            script.reply = { [weak front] body in
                switch body {
                case .feed(_, .select):
                    let arguments = ["feed", key.text, "view", "shared", "version", "0"]
                    return .refused(Failure(code: .busy, text: "look again", arguments: arguments), retryAfter: .milliseconds(1))
                case .feed(_, .load):
                    let job = nextJob.withLock { job in
                        job += 1
                        return job
                    }
                    if runsJobs { front?.run(job, of: key) } else { front?.noteRunning(job) }
                    return .accepted(JobID(job), joined: false)
                default: return .done(version: 0)
                }
            }
            script.page = { request in
                PageReply(number: request.number, items: [Array("{\"title\":\"\(request.content.words.0)\"}".utf8)], itemCount: 1)
            }
        }
        try front.start()
        return front
    }

    private func sees<L: Loadable>(_ loader: L, _ condition: (LoadingState<L.Value>) -> Bool) async {
        for await state in loader.state where condition(state) { return }
    }

    @Test("it loads through all decorators, and the view that draws a local loader draws it")
    func load() async throws {
        let front = try startFront()
        let client = try await front.client()
        let feed = RemoteFeed(client, key, decoding: Product.self)
        let limited = ConcurrencyLimitingLoadable(wrapping: feed, concurrencyLimit: 1)
        let stack = await DebouncingLoadable(wrapping: RetryableLoader(base: limited), executeFirstImmediately: true)
        let local = BlockLoadable { [Product(title: "4")] }
        func draw(_ loader: some Loadable<[Product]>) -> [String] {
            ViewHost {
                LoadingView(loader: loader, loadOnAppear: false) { products in
                    List(products) { Text($0.title) }
                }
            }.render()
        }
        await stack.load()
        await local.load()
        #expect(stack.currentState == .loaded([Product(title: "4")]))
        #expect(draw(stack) == draw(local))
        let page = RemoteFeed(client, key)
        await page.attach()
        #expect(page.currentState.value?.items == [Array("{\"title\":\"4\"}".utf8)])
        await client.close()
        await front.stop()
    }

    @Test("two loaders at one feed attach once; the last to leave detaches")
    func attachments() async throws {
        let front = try startFront()
        let client = try await front.client()
        let feeds = [RemoteFeed(client, key), RemoteFeed(client, key)]
        for feed in feeds { await feed.load() }
        func count(_ isWanted: (RequestBody) -> Bool) -> Int { front.script.withLock { $0.requests.filter(isWanted).count } }
        #expect(count { if case .feed(_, .attach) = $0 { true } else { false } } == 1)
        feeds[0].reset()
        await feeds[1].load()
        #expect(count { if case .feed(_, .detach) = $0 { true } else { false } } == 0)
        feeds[1].cancel()
        _ = try await client.reset(key)
        feeds[1].reset()
        await feeds[1].load()
        #expect(feeds[1].currentState.value?.itemCount == 1)
        #expect(count { if case .feed(_, .detach) = $0 { true } else { false } } == 1)
        #expect(count { if case .feed(_, .attach) = $0 { true } else { false } } == 2)
        await client.close()
        await front.stop()
    }

    @Test("it outlives a restart of the front, also one that has forgotten the session, with a load under way", arguments: [true, false])
    func restart(knowsSessions: Bool) async throws {
        let front = try startFront(runsJobs: false)
        let client = try await front.client()
        let feed = RemoteFeed(client, key, decoding: Product.self)
        await feed.attach()
        #expect(feed.currentState == .idle)
        let load = Task { await feed.load() }
        await sees(feed) { $0.isLoading }
        await front.stop()
        #expect(feed.currentState.isLoading)
        front.script.withLock { $0.knowsSessions = knowsSessions }
        for job in UInt64(4)...5 { front.run(job, of: key) }
        try front.start()
        await load.value
        #expect(feed.currentState == .loaded([Product(title: "5")]))
        front.run(6, of: key)
        await sees(feed) { $0 == .loaded([Product(title: "6")]) }
        await client.close()
        await front.stop()
    }

    @Test("a load that a lost session left open is asked again", arguments: [true, false])
    func openLoad(knowsSessions: Bool) async throws {
        let front = try startFront()
        let answer = front.script.withLock { $0.reply }
        let isAsked = StateRelay(false)
        front.script.withLock {
            $0.reply = { body in
                guard case .feed(_, .load) = body else { return answer(body) }
                isAsked.update(true)
                return nil
            }
        }
        let client = try await front.client()
        let feed = RemoteFeed(client, key, decoding: Product.self)
        let load = Task { await feed.load() }
        for await isAsked in isAsked.stream where isAsked { break }
        await front.stop()
        front.script.withLock { ($0.knowsSessions, $0.reply) = (knowsSessions, answer) }
        try front.start()
        await load.value
        #expect(feed.currentState == .loaded([Product(title: "4")]))
        await client.close()
        await front.stop()
    }

    @Test("a refusal of the front is the failure, with its word and text")
    func refusal() async throws {
        let front = try startFront()
        front.script.withLock {
            $0.reply = { _ in .refused(Failure(code: .unknownFeed, text: "no feed \"products\" is configured"), retryAfter: .zero) }
        }
        let client = try await front.client()
        let feed = RemoteFeed(client, key)
        await feed.load()
        #expect((feed.currentState.error as? ClientError)?.code == ClientErrorCode(.unknownFeed))
        #expect(feed.currentState.description == "no feed \"products\" is configured")
        await client.close()
        await front.stop()
    }
}

extension ScriptedFront {
    /// Makes the job's content the feed's, as a front does it: one change of the feed, one of the view, one of the job.
    fileprivate func run(_ number: UInt64, of key: FeedKey) {
        var world = FeedWorld()
        world.feed.activity = .loading(JobID(number), cause: .asked, attempt: 1)
        put("feed", .feed(world.feed), of: .feed(key))
        world.feed.activity = .idle
        world.setContent(number)
        put("feed", .feed(world.feed), of: .feed(key))
        put("view", .view(world.view), of: .view(key, "shared"))
        note(number, .succeeded)
    }

    /// A job that was accepted is known from then on; its end may be known already.
    fileprivate func noteRunning(_ number: UInt64) {
        guard script.withLock({ $0.items[.job(JobID(number))] == nil }) else { return }
        note(number, .running)
    }

    private func note(_ number: UInt64, _ state: JobState) {
        let acceptedAt = WallTime(milliseconds: Int64(number))
        put("job", .job(JobSummary(id: JobID(number), loader: "http", state: state, acceptedAt: acceptedAt)), of: .job(JobID(number)))
    }
}
