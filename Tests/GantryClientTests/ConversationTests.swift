//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import TestSupport
import Testing

@testable import GantryClient

/// What the front refuses, and under which number a client says hello.
@Suite("Refusals and hellos of a session")
struct ConversationTests {
    private let feed = FeedKey.named("products")

    private func failures(_ world: inout SessionWorld) -> [CallID: ClientError] {
        var failures: [CallID: ClientError] = [:]
        for case .failed(let callID, let error) in world.takeNotices() { failures[callID] = error }
        return failures
    }

    private func nonces(_ messages: [ClientMessage]) -> [UInt64] {
        messages.compactMap { if case .hello(let hello) = $0 { hello.nonce } else { nil } }
    }

    @Test("a hello is repeated under the same random number, another client's has another one")
    func nonce() {
        var (one, two) = (SessionWorld(), SessionWorld { $0.seed = 2 })
        let numbers = nonces(one.run(5_000))
        #expect(numbers.count > 2)
        #expect(Set(numbers).count == 1 && numbers.first != 0)
        #expect(nonces(two.turn()) != [numbers[0]])
    }

    @Test("a session that is over is followed by one under another number")
    func nextNonce() {
        var world = SessionWorld.opened()
        let first = world.machine.nonce
        world.receive(.sessionEnded)
        #expect(nonces(world.turn()) != [first])
    }

    @Test("the token goes with each hello")
    func token() {
        var world = SessionWorld { $0.token = [1, 2, 3] }
        guard case .hello(let hello)? = world.turn().first else {
            Issue.record("no hello")
            return
        }
        #expect(hello.token == [1, 2, 3])
    }

    @Test("a refusal that names a request ends that one with its code, the others go on")
    func refusedRequest() {
        var world = SessionWorld.opened()
        world.request(.feed(feed, .load), 1)
        world.request(.feed(feed, .refresh), 2)
        _ = world.turn()
        world.receive(
            .refused(Refused(reason: "too much is under way", code: .busy, number: RequestNumber(1), retryAfter: .milliseconds(40))))
        let failures = failures(&world)
        #expect(failures.keys.sorted() == [CallID(1)])
        #expect(failures[CallID(1)]?.code == .busy)
        #expect(failures[CallID(1)]?.retryAfter == .milliseconds(40))
        #expect(world.machine.isOpen)
        world.receive(.reply(number: RequestNumber(2), .done(version: 1)))
        #expect(world.takeNotices() == [.replied(CallID(2), .done(version: 1))])
    }

    @Test("a full front is asked again when it said so, not before")
    func fullFront() {
        var world = SessionWorld()
        _ = world.turn()
        world.receive(.refused(Refused(reason: "5000 sessions are open", code: .busy, retryAfter: .seconds(2))))
        guard case .refused(let error)? = world.takeNotices().first else {
            Issue.record("nothing was told")
            return
        }
        #expect(error.code == .busy && error.isRetryable)
        #expect(world.turn(after: 1_999) == [])
        #expect(world.turn(after: 1) == [world.hello()])
    }

    @Test("a front that does not let the client in fails its calls at once, and is asked again each five seconds")
    func shutOut() {
        var world = SessionWorld()
        world.request(.feed(feed, .load), 1)
        _ = world.turn()
        world.receive(.refused(Refused(reason: "the token is another one", code: .notAuthorized)))
        world.request(.feed(feed, .load), 2)
        let failures = failures(&world)
        #expect(failures.keys.sorted() == [CallID(1), CallID(2)])
        #expect(failures.values.allSatisfy { $0.code == ClientErrorCode(.notAuthorized) && !$0.isRetryable && $0.code.exitCode == 7 })
        #expect(world.run(4_999) == [])
        #expect(world.turn(after: 1).count == 1)
        world.receive(.welcome(.open(session: world.session, isResumed: false)))
        world.request(.feed(feed, .load), 3)
        #expect(world.turn().compactMap(\.number) == [1])
    }

    @Test("a conflict names the version that the target has now, and ends a program with 9")
    func conflict() {
        let failure = Failure(code: .conflict, text: "moved on", arguments: ["feed", "products", "version", "17"])
        let error = ClientError(failure)
        #expect(error.code == .conflict && error.currentVersion == 17 && !error.isRetryable)
        #expect(error.code.exitCode == 9)
        #expect(ClientError(Failure(code: .busy, text: "", arguments: ["version", "17"])).currentVersion == nil)
    }

    @Test("an attachment that a busy front did not renew is renewed when the front said so")
    func busyAttachment() {
        var world = SessionWorld.opened()
        world.answersHeartbeats = true
        let attach = RequestBody.feed(feed, .attach(view: "shared"))
        world.request(attach, 1)
        _ = world.turn()
        world.receive(.reply(number: RequestNumber(1), .done(version: 0)))
        world.epoch = Epoch(101)
        world.machine.sawEpoch(world.epoch, of: world.front, at: world.now)
        _ = world.turn()
        world.receive(.welcome(.open(session: world.session, isResumed: true)))
        _ = world.turn()
        let busy = Reply.refused(Failure(code: .busy, text: "too much is under way"), retryAfter: .milliseconds(700))
        world.receive(.reply(number: RequestNumber(2), busy))
        #expect(world.run(699).compactMap(\.number) == [])
        #expect(world.turn(after: 1).contains { if case .request(let request) = $0 { request.body == attach } else { false } })
    }

    @Test("a snapshot that has to wait disturbs neither the session nor what is open in it")
    func busySnapshot() {
        var world = SessionWorld.opened()
        world.request(.feed(feed, .load), 1)
        _ = world.turn()
        let busy = Failure(code: .busy, text: "too many topics are kept", retryable: true)
        for _ in 0..<20 { world.receive(.snapshotRefused(asked: "jobs", busy, retryAfter: .seconds(5))) }
        #expect(world.machine.isOpen)
        #expect(failures(&world).isEmpty)
        world.receive(.reply(number: RequestNumber(1), .done(version: 1)))
        #expect(world.takeNotices() == [.replied(CallID(1), .done(version: 1))])
    }

    @Test("a reply to a number that was never given out is passed over")
    func foreignNumber() {
        var world = SessionWorld.opened()
        world.request(.listFeeds(), 1)
        _ = world.turn()
        _ = world.takeNotices()
        for number in [UInt64(0), 2, 3, .max] { world.receive(.reply(number: RequestNumber(number), .done(version: 0), feed: nil)) }
        #expect(world.takeNotices() == [])
    }

    @Test("a late answer to a repeated hello is of the same session: what was asked stays asked, and numbers go on")
    func lateWelcome() {
        var world = SessionWorld.opened()
        world.request(.job(.cancel(JobID(1))), 1)
        _ = world.turn()
        _ = world.takeNotices()
        world.receive(.resumeFirst)
        world.receive(.welcome(.open(session: world.session, isResumed: false)))
        #expect(!world.takeNotices().contains(.sessionLost))
        world.request(.job(.cancel(JobID(2))), 2)
        #expect(world.turn().compactMap(\.number) == [1, 2])
    }

    @Test("with a new connection outcomes that are missing are asked for at once: they may have been on their way")
    func missingOutcomes() {
        var world = SessionWorld.opened()
        world.submit(JobBatch(loader: "noop", reportsOutcomes: true, [[1]]), 1)
        _ = world.turn()
        world.receive(.reply(number: RequestNumber(1), .jobsAccepted(first: JobID(10), count: 1)))
        world.receive(.resumeFirst)
        world.receive(.welcome(.open(session: world.session, isResumed: true)))
        let asked = world.turn().contains { message in
            if case .request(let request) = message { request.body == .job(.outcomes([JobID(10)])) } else { false }
        }
        #expect(asked)
    }

    @Test(
        "a welcome of a version that the client does not support ends the session, and the error says which side to update",
        arguments: [
            (ProtocolVersion.current + 1, "update this client"), (ProtocolVersion.current - 1, "update the front"),
        ])
    func otherVersion(_ version: UInt32, _ advice: String) throws {
        var world = SessionWorld()
        world.request(.feed(feed, .load), 1)
        _ = world.turn()
        var welcome = FrontMessage.Welcome.open(session: world.session, isResumed: false)
        welcome.version = version
        world.receive(.welcome(welcome))
        let error = try #require(failures(&world)[CallID(1)])
        #expect(error.code == .refused && !error.isRetryable)
        #expect(error.context.contains("version \(version)") && error.nextStep.hasPrefix(advice), "\(error)")
        #expect(!world.machine.isOpen && world.machine.session == nil)
        world.request(.listFeeds(), 2)
        #expect(failures(&world) == [CallID(2): error])
        #expect(world.run(5_000) == [world.hello()])
        world.receive(.welcome(.open(session: world.session, isResumed: false)))
        #expect(world.machine.isOpen)
    }
}
