//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryPlatform
import GantrySettings
import Synchronization
import TestSupport
import Testing

@testable import GantryClient

@Suite("The client over real sockets", .timeLimit(.minutes(5)))
struct GantryClientTests {
    let key = FeedKey.named("products")

    @Test("without a front opening fails with notConnected and says what to do")
    func noFront() async throws {
        var options = ClientOptions(label: "test")
        options.connectTimeout = .milliseconds(300)
        let error = await #expect(throws: ClientError.self) {
            _ = try await GantryClient(connect: Endpoint(address: "ipc:///tmp/gantry-nobody-\(try SystemRandom.next())"), options: options)
        }
        #expect(error?.code == .notConnected)
        #expect(error?.context.contains(" at /tmp/gantry-nobody-") == true, "who asks at the wrong place sees which one it was")
        #expect(error?.nextStep.contains("gantry up") == true && error?.nextStep.contains("(--data, GANTRY_DATA)") == true)
    }

    @Test("a request gets its reply, a refusal is thrown with the front's word, and close sends close")
    func requests() async throws {
        let front = try ScriptedFront()
        try front.start()
        let client = try await front.client()
        front.script.withLock { $0.reply = { _ in .accepted(JobID(5), joined: true) } }
        #expect(try await client.load(key) == FeedAnswer(job: JobID(5), joined: true, version: nil, feed: key))
        front.script.withLock {
            $0.reply = { _ in .refused(Failure(code: .unknownFeed, text: "no such feed"), retryAfter: .zero) }
        }
        let error = await #expect(throws: ClientError.self) { try await client.load(key) }
        #expect(error?.code == ClientErrorCode(.unknownFeed))
        await client.close()
        await #expect(throws: ClientError.self) { try await client.load(key) }
        await front.stop()
    }

    @Test("when many jobs are refused half-way, those that were accepted before are known")
    func refusedHalfWay() async throws {
        let front = try ScriptedFront()
        try front.start()
        let client = try await front.client()
        let first = front.script.withLock { script in
            script.fullFrom = script.nextJob + 2_000
            return JobID(script.nextJob)
        }
        let accepted = Mutex<[JobID]>([])
        let error = await #expect(throws: ClientError.self) {
            try await client.submit(loader: "noop", arguments: Array(repeating: [1], count: 2_500)) { ids in
                accepted.withLock { $0 += ids }
            }
        }
        #expect(error?.code == .busy && error?.retryAfter == .milliseconds(9))
        #expect(accepted.withLock { $0 } == (0..<2_000).map { first.advanced(by: $0) })
        await client.close()
        await front.stop()
    }

    @Test("when submitting many jobs is cancelled, those on their way are still known, and no further ones are sent")
    func cancelledHalfWay() async throws {
        let front = try ScriptedFront()
        try front.start()
        let client = try await front.client()
        let first = front.script.withLock { script in
            script.heldFrom = script.nextJob + 1_000
            return JobID(script.nextJob)
        }
        let accepted = Mutex<[JobID]>([])
        let handing = Task {
            try await client.submit(loader: "noop", arguments: Array(repeating: [1], count: 3_500)) { ids in
                accepted.withLock { $0 += ids }
            }
        }
        await front.holdsAcceptance()
        handing.cancel()
        front.release()
        let error = await #expect(throws: ClientError.self) { try await handing.value }
        #expect(error?.code == .cancelled)
        #expect(accepted.withLock { $0 } == (0..<2_000).map { first.advanced(by: $0) })
        #expect(front.script.withLock { $0.nextJob } == first.rawValue + 2_000)
        await client.close()
        await front.stop()
    }

    @Test("jobs submitted together are each answered with their own result")
    func jobs() async throws {
        let front = try ScriptedFront()
        try front.start()
        let client = try await front.client()
        let results = try await withThrowingTaskGroup(of: (UInt8, JobOutcome).self) { group in
            for number in UInt8(0)..<200 {
                group.addTask { (number, try await client.submitAndWait(loader: "noop", argument: [number])) }
            }
            var results: [(UInt8, JobOutcome)] = []
            for try await result in group { results.append(result) }
            return results
        }
        #expect(results.allSatisfy { $0.1.result == [$0.0] && $0.1.state == .succeeded })
        #expect(Set(results.map(\.1.job)).count == 200)
        #expect(try await client.submit(loader: "noop", arguments: Array(repeating: [1], count: 2_500)).count == 2_500)
        await client.close()
        await front.stop()
    }

    @Test("a request that waits is cancelled at once, before it is sent, while it waits, and the client goes on")
    func cancellation() async throws {
        let front = try ScriptedFront()
        try front.start()
        let client = try await front.client()
        front.script.withLock { $0.reply = { if case .feed(_, .load) = $0 { nil } else { .done(version: 1) } } }
        // Before the start.
        let gate = StopSignal()
        let early = Task {
            await gate.wait()
            return try await client.load(key)
        }
        early.cancel()
        gate.fire()
        #expect(await code(early) == .cancelled)
        // While waiting for the front.
        let waiting = Task { try await client.load(key) }
        await front.sawRequest()
        waiting.cancel()
        #expect(await code(waiting) == .cancelled)
        // While observing.
        let reading = Task {
            for await _ in client.observe(.workers) {}
            return FeedAnswer(job: nil, joined: Task.isCancelled, version: nil, feed: key)
        }
        reading.cancel()
        #expect(await reading.value.joined)
        #expect(try await client.reset(key).version == 1)
        await client.close()
        await front.stop()
    }

    private func code(_ task: Task<FeedAnswer, any Error>) async -> ClientErrorCode? {
        do {
            _ = try await task.value
            return nil
        } catch { return (error as? ClientError)?.code }
    }

    @Test("closing waits until the close has left")
    func close() async throws {
        let front = try ScriptedFront()
        try front.start()
        for closed in 0..<5 {
            // Whoever is welcome connected when the close before had left, so the front has read that.
            let client = try await front.client()
            #expect(front.script.withLock { $0.closeCount } == closed)
            await client.close()
        }
        let last = try await front.client()
        #expect(front.script.withLock { $0.closeCount } == 5)
        await last.close()
        await front.stop()
    }

    @Test("a call whose time is over fails with timedOut")
    func timeouts() async throws {
        let front = try ScriptedFront()
        try front.start()
        let client = try await front.client()
        front.script.withLock { $0.reply = { _ in nil } }
        let error = await #expect(throws: ClientError.self) { try await client.load(key, timeout: .milliseconds(50)) }
        #expect(error?.code == .timedOut)
        let waited = await #expect(throws: ClientError.self) { try await client.wait(for: JobID(4), timeout: .milliseconds(50)) }
        #expect(
            waited?.context == "the end of job 4 did not come within 0.05 seconds" && waited?.nextStep.contains("gantry job show 4") == true
        )
        await client.close()
        await front.stop()
    }

    @Test("an observed topic becomes verified, follows changes, and heals after a lost one")
    func observing() async throws {
        let front = try ScriptedFront()
        var feed = FeedState(key: key)
        front.put("feed", .feed(feed), of: .feed(key))
        try front.start()
        let client = try await front.client()
        var states = client.observe(.feed(key), limit: 100).makeAsyncIterator()
        var state = try #require(await states.next())
        while !state.isVerified { state = try #require(await states.next()) }
        #expect(state.feed == feed)
        feed.activity = .waiting(JobID(3), .slotsTaken)
        front.put("feed", .feed(feed), of: .feed(key), isLost: true)
        feed.activity = .loading(JobID(3), cause: .asked, attempt: 1)
        front.put("feed", .feed(feed), of: .feed(key))
        state = try #require(await states.next())
        #expect(state.event == .gap)
        // A proof of what was before may be on its way still.
        while !state.isVerified || state.sequence < SequenceNumber(3) { state = try #require(await states.next()) }
        #expect(state.feed == feed)
        #expect(state.sequence == SequenceNumber(3))
        await client.close()
        await front.stop()
    }

    @Test("a slow reader finds the newest state, never an old one at the end")
    func slowReader() async throws {
        let front = try ScriptedFront()
        front.put("counts", .counts(JobCounts()), of: .jobs)
        try front.start()
        let client = try await front.client()
        var slow = client.observe(.jobs).makeAsyncIterator()
        while let state = await slow.next(), !state.isVerified {}
        var fast = client.observe(.jobs, limit: 1_000).makeAsyncIterator()
        for number in UInt64(1)...100 {
            var counts = JobCounts()
            counts.succeeded = number
            front.put("counts", .counts(counts), of: .jobs)
        }
        while let state = await fast.next(), state.counts?.succeeded != 100 {}
        // What the fast reader has seen is in the slow one's mailbox too, or is put there before its next state.
        var last = await slow.next()
        while last?.counts?.succeeded != 100 { last = await slow.next() }
        #expect(last?.isVerified == true)
        await client.close()
        await front.stop()
    }

    @Test("the client outlives a restart of the front: open requests are answered, topics verified again")
    func restart() async throws {
        let front = try ScriptedFront()
        let feed = FeedState(key: key)
        front.put("feed", .feed(feed), of: .feed(key))
        try front.start()
        let client = try await front.client()
        var states = client.observe(.feed(key), limit: 1_000).makeAsyncIterator()
        while let state = await states.next(), !state.isVerified {}
        front.script.withLock { $0.reply = { _ in nil } }
        let open = Task { try await client.load(key) }
        await front.sawRequest()
        await front.stop()
        front.script.withLock { $0.reply = { _ in .accepted(JobID(9), joined: false) } }
        try front.start()
        #expect(try await open.value.job == JobID(9))
        var state = try #require(await states.next())
        while !(state.isVerified && state.epoch == Epoch(2)) { state = try #require(await states.next()) }
        #expect(state.feed == feed)
        await client.close()
        await front.stop()
    }

    @Test("a front that has forgotten the session makes open changes fail with outcomeUnknown")
    func forgottenSession() async throws {
        let front = try ScriptedFront()
        try front.start()
        let client = try await front.client()
        front.script.withLock { $0.reply = { _ in nil } }
        let open = Task { try await client.load(key) }
        await front.sawRequest()
        await front.stop()
        front.script.withLock {
            $0.knowsSessions = false
            $0.reply = { _ in .done(version: 3) }
        }
        try front.start()
        #expect(await code(open) == .outcomeUnknown)
        #expect(try await client.reset(key).version == 3)
        await client.close()
        await front.stop()
    }

    @Test("a page is read by the view's revision, and by the newer pair when the first is gone")
    func pages() async throws {
        let front = try ScriptedFront()
        let old = ViewRevision(content: object(1), order: nil, version: ContentVersion(1), sort: nil, filter: "")
        let new = ViewRevision(content: object(2), order: nil, version: ContentVersion(2), sort: nil, filter: "")
        var view = ViewState(name: "shared")
        view.revision = old
        front.put("view", .view(view), of: .view(key, "shared"))
        let (topic, moved) = (Topic.view(key, "shared"), view)
        front.script.withLock {
            $0.page = { [weak front] request in
                guard request.content == new.content.digest else {
                    var next = moved
                    next.revision = new
                    front?.put("view", .view(next), of: topic)
                    return PageReply(number: request.number, failure: Failure(code: .unknownItem, text: "the object is gone"))
                }
                return PageReply(number: request.number, items: [Array("{}".utf8)], itemCount: 1)
            }
        }
        try front.start()
        let client = try await front.client()
        let page = try await client.page(of: key)
        #expect(page.revision == new)
        #expect(page.itemCount == 1)
        let error = await #expect(throws: ClientError.self) { try await client.page(of: .named("todos")) }
        #expect(error?.code == .notFound)
        await client.close()
        await front.stop()
    }

    private func object(_ word: UInt64) -> ObjectReference {
        ObjectReference(digest: ObjectDigest(words: (word, 0, 0, 0)), byteCount: 10, itemCount: 1)
    }

    @Test("a topic that the client cannot keep ends its readers with the reason, and a call that needs it throws")
    func topicLimit() async throws {
        let front = try ScriptedFront()
        try front.start()
        let client = try await front.client()
        let readings = (1...UInt64(4_096)).map { client.observe(.job(JobID($0))).makeAsyncIterator() }
        var states = client.observe(.workers).makeAsyncIterator()
        #expect(await states.next()?.failure?.code == .busy)
        #expect(await states.next() == nil)
        let error = await #expect(throws: ClientError.self) { try await client.current(.workers) }
        #expect(error?.code == .busy)
        withExtendedLifetime(readings) {}
        await client.close()
        await front.stop()
    }

    @Test("a client without an address finds the front by the environment, as the command line does")
    func found() async throws {
        let front = try ScriptedFront(folder: true)
        try front.start()
        let environment = Environment(variables: ["GANTRY_DATA": front.folder], home: "/nonexistent", workingFolder: "/nonexistent")
        let client = try await GantryClient(options: ClientOptions(), environment: environment)
        await client.close()
        await front.stop()
        try FileManager.default.removeItem(atPath: front.folder)
    }

    @Test("an address that is not of this machine is refused before anything is sent")
    func foreign() async throws {
        let error = await #expect(throws: ClientError.self) {
            try await GantryClient(connect: Endpoint(address: "tcp://127.evil.example:1"))
        }
        #expect(error?.code == .invalidInput)
    }

    @Test("what people write as an endpoint is understood or refused")
    func endpoints() throws {
        #expect(try Endpoint("/var/lib/gantry/").address == "ipc:///var/lib/gantry/run/requests")
        #expect(try Endpoint("127.0.0.1:7701").address == "tcp://127.0.0.1:7701")
        #expect(try Endpoint("ipc:///x").address == "ipc:///x")
        #expect(throws: ClientError.self) { try Endpoint("nonsense") }
        #expect(throws: ClientError.self) { try Endpoint("tcp://198.51.100.1:7701") }
    }
}
