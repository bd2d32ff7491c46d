//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import TestSupport
import Testing

@testable import GantryClient

@Suite("every phase of a client's conversation with everything that can happen to it")
struct SessionMachineTableTests {
    /// Where the conversation is before. `again`: it had a session and says hello again; `kept`: the front does not let it in; `closing`: its
    /// `close` is not sent yet.
    enum Start: CaseIterable {
        case greeting, kept, open, again, closing, closed
    }

    /// What happens then. `…Elsewhere`: in a session that is not its own; `…Before`: of an earlier epoch.
    enum Event: CaseIterable {
        case welcome, welcomeResumed, welcomeWithoutAddress, sessionEnded, sessionEndedElsewhere, refused, refusedForNow, requestRefused
        case reply, replyUnknown, replyElsewhere, replyBefore, outcome, outcomeUnknown, snapshot, snapshotRefused, heartbeat, resumeFirst
        case unknown, laterEpoch, ask, attach, submit, awaitOutcome, withdraw, abandon, close, second, lostTime
    }

    /// What becomes of each start by each event, in the order of `Event`: where the conversation is then, what is said in the turn behind it, and
    /// what the user and the loop are told. What comes late or cannot be changes nothing, and is counted by why.
    static let table: [Start: [String]] = [
        .greeting: [
            "open request 1 heartbeat -> welcomed opened", "open request 1 heartbeat -> welcomed opened",
            "greeting -> refused failed 1 refused", "greeting late: otherSession", "greeting late: otherSession",
            "greeting -> refused failed 1 notAuthorized", "greeting -> refused", "greeting late: notOpen", "greeting late: notOpen",
            "greeting late: notOpen", "greeting late: notOpen", "greeting late: notOpen", "greeting late: notOpen",
            "greeting late: notOpen", "greeting late: notOpen", "greeting late: notOpen", "greeting late: notOpen",
            "greeting late: notOpen", "greeting late: unknown", "greeting", "greeting", "greeting", "greeting", "greeting",
            "greeting -> failed 1 cancelled", "greeting", "closed -> failed 1 closed", "greeting hello", "greeting hello -> reconnect",
        ],
        .kept: [
            "open heartbeat -> welcomed opened", "open heartbeat -> welcomed opened", "greeting -> refused",
            "greeting late: otherSession", "greeting late: otherSession", "greeting -> refused", "greeting -> refused",
            "greeting late: notOpen", "greeting late: notOpen", "greeting late: notOpen", "greeting late: notOpen",
            "greeting late: notOpen", "greeting late: notOpen", "greeting late: notOpen", "greeting late: notOpen",
            "greeting late: notOpen", "greeting late: notOpen", "greeting late: notOpen", "greeting late: unknown", "greeting",
            "greeting -> failed 2 notAuthorized", "greeting -> failed 2 notAuthorized", "greeting -> failed 2 notAuthorized", "greeting",
            "greeting", "greeting", "closed", "greeting", "greeting hello -> reconnect",
        ],
        .open: [
            "open late: alreadyOpen", "open late: alreadyOpen", "open late: alreadyOpen", "greeting hello -> lost",
            "open late: otherSession", "open -> refused", "open -> refused", "open -> failed 1 invalidData", "open -> replied 1",
            "open late: notAsked", "open late: otherSession", "open late: oldEpoch", "open -> ended 70", "open -> no outcome 70 notFound",
            "open -> snapshot", "open -> topic failed", "open", "greeting", "open late: unknown", "greeting hello again",
            "open request 3", "open request 3", "open submit 3", "open request 3", "open", "open",
            "closed close -> failed 1 closed no outcome 70 closed", "open request 1 request 2 heartbeat",
            "greeting request 1 request 2 heartbeat request 3 hello again -> reconnect lost",
        ],
        .again: [
            "open request 1 request 2 heartbeat -> lost welcomed opened", "open request 1 request 2 request 3 heartbeat -> opened",
            "greeting -> refused failed 1 refused no outcome 70 refused", "greeting hello -> lost", "greeting late: otherSession",
            "greeting -> refused failed 1 notAuthorized no outcome 70 notAuthorized", "greeting -> refused", "greeting late: notOpen",
            "greeting late: notOpen", "greeting late: notOpen", "greeting late: notOpen", "greeting late: oldEpoch",
            "greeting late: notOpen", "greeting late: notOpen", "greeting late: notOpen", "greeting late: notOpen",
            "greeting late: notOpen", "greeting late: notOpen", "greeting late: unknown", "greeting", "greeting", "greeting", "greeting",
            "greeting", "greeting", "greeting", "closed close -> failed 1 closed no outcome 70 closed", "greeting hello again",
            "greeting hello again -> reconnect lost",
        ],
        .closing: [
            "closed close late: closed", "closed close late: closed", "closed close late: closed", "closed close late: closed",
            "closed close late: closed", "closed close late: closed", "closed close late: closed", "closed close late: closed",
            "closed close late: closed", "closed close late: closed", "closed close late: closed", "closed close late: closed",
            "closed close late: closed", "closed close late: closed", "closed close late: closed", "closed close late: closed",
            "closed close late: closed", "closed close late: closed", "closed close late: closed", "closed close",
            "closed close -> failed 2 closed", "closed close -> failed 2 closed", "closed close -> failed 2 closed",
            "closed close -> no outcome 71 closed", "closed close", "closed close", "closed close", "closed close", "closed close",
        ],
        .closed: [
            "closed late: closed", "closed late: closed", "closed late: closed", "closed late: closed", "closed late: closed",
            "closed late: closed", "closed late: closed", "closed late: closed", "closed late: closed", "closed late: closed",
            "closed late: closed", "closed late: closed", "closed late: closed", "closed late: closed", "closed late: closed",
            "closed late: closed", "closed late: closed", "closed late: closed", "closed late: closed", "closed",
            "closed -> failed 2 closed", "closed -> failed 2 closed", "closed -> failed 2 closed", "closed -> no outcome 71 closed",
            "closed", "closed", "closed", "closed", "closed",
        ],
    ]

    /// The number of the request: behind that for the outcome.
    private static let asked = RequestNumber(2)

    /// A conversation with a request that nothing was said to yet (call 1) and, where it has a session, the outcome of job 70 awaited.
    private func world(_ start: Start) -> SessionWorld {
        var world = SessionWorld()
        _ = world.turn()
        switch start {
        case .greeting: world.request(.listFeeds(), 1)
        case .kept:
            world.request(.listFeeds(), 1)
            world.receive(.refused(Refused(reason: "no", code: .notAuthorized)))
        case .open, .again, .closing, .closed:
            world.receive(.welcome(.open(session: world.session, isResumed: false)))
            world.request(.listFeeds(), 1)
            world.machine.awaitOutcome(of: JobID(70), at: world.now, into: &world.actions)
            _ = world.turn()
            if start == .again { world.receive(.resumeFirst) }
            if start == .closing || start == .closed { world.close() }
            if start != .closing { _ = world.turn() }
        }
        (world.notices, world.actions) = ([], [])
        return world
    }

    private func meet(_ event: Event, _ world: inout SessionWorld) {
        let failure = Failure(code: .unknownFeed, text: "no such feed")
        var (answers, unknown) = (FrontMessage.Answers(), FrontMessage.Answers())
        (answers.jobs, answers.states) = ([70], [.succeeded])
        answers.results.append([1])
        unknown.unknown = [70]
        switch event {
        case .welcome: world.receive(.welcome(.open(session: SessionID(43), isResumed: false)))
        case .welcomeResumed: world.receive(.welcome(.open(session: world.session, isResumed: true)))
        case .welcomeWithoutAddress: world.receive(.welcome(.init(session: SessionID(43), isResumed: false)))
        case .sessionEnded: world.receive(.sessionEnded)
        case .sessionEndedElsewhere: world.receive(.sessionEnded, in: SessionID(99))
        case .refused: world.receive(.refused(Refused(reason: "no", code: .notAuthorized)))
        case .refusedForNow: world.receive(.refused(Refused(reason: "wait", code: .busy, retryAfter: .seconds(1))))
        case .requestRefused:
            var refused = Refused(reason: "no", code: .invalidData)
            refused.number = Self.asked
            world.receive(.refused(refused))
        case .reply: world.receive(.reply(number: Self.asked, .done(version: 0)))
        case .replyUnknown: world.receive(.reply(number: RequestNumber(9), .done(version: 0)))
        case .replyElsewhere: world.receive(.reply(number: Self.asked, .done(version: 0)), in: SessionID(99))
        case .replyBefore:
            world.epoch = Epoch(99)
            world.receive(.reply(number: Self.asked, .done(version: 0)))
        case .outcome: world.receive(.answers(answers))
        case .outcomeUnknown: world.receive(.answers(unknown))
        case .snapshot:
            world.receive(
                .snapshot(
                    .init(topic: .front, sequence: SequenceNumber(1), checksum: TopicChecksum(), part: 0, partCount: 1, items: [])))
        case .snapshotRefused: world.receive(.snapshotRefused(asked: "feed/none", failure, retryAfter: .zero))
        case .heartbeat: world.receive(.heartbeat(.init(lowestUnanswered: RequestNumber(1))))
        case .resumeFirst: world.receive(.resumeFirst)
        case .unknown: world.receive(.unknown)
        case .laterEpoch: world.machine.sawEpoch(Epoch(101), of: world.front, at: world.now)
        case .ask: world.request(.listFeeds(), 2)
        case .attach: world.request(.feed(FeedKey.named("products"), .attach(view: "shared")), 2)
        case .submit:
            var arguments = PackedBytes()
            arguments.append([1])
            world.submit(JobBatch(loader: "noop", arguments), 2)
        case .awaitOutcome:
            var actions: [SessionAction] = []
            world.machine.awaitOutcome(of: JobID(71), at: world.now, into: &actions)
            world.actions += actions
        case .withdraw: world.withdraw(1)
        case .abandon: world.machine.abandon(CallID(1))
        case .close: world.close()
        case .second, .lostTime: break
        }
    }

    private func text(_ world: SessionWorld, _ messages: [ClientMessage]) -> String {
        let said = messages.compactMap { message -> String? in
            switch message {
            case .hello(let hello): hello.resumed == nil ? "hello" : "hello again"
            case .request(let request): "request \(request.number)"
            case .submit(let submit): "submit \(submit.number)"
            case .close: "close"
            case .heartbeat: "heartbeat"
            default: nil
            }
        }
        let told = world.actions.map { action -> String in
            switch action {
            case .notify(.opened): "welcomed"
            case .notify(.refused): "refused"
            case .notify(.sessionLost): "lost"
            case .notify(.replied(let call, _, _)): "replied \(call)"
            case .notify(.failed(let call, let error)): "failed \(call) \(error.code)"
            case .notify(.ended(let ended)): "ended \(ended.jobs.map(String.init).joined(separator: ", "))"
            case .notify(.outcomeLost(let job, let error)): "no outcome \(job) \(error.code)"
            case .notify: "other"
            case .reconnect: "reconnect"
            case .opened: "opened"
            case .availability(let availability): "\(availability)"
            case .snapshot: "snapshot"
            case .topicFailed: "topic failed"
            }
        }
        // Each once: how often something is repeated, other tests say.
        func once(_ texts: [String]) -> [String] { texts.enumerated().filter { !texts[..<$0].contains($1) }.map(\.element) }
        let late = world.machine.ignored.counts.keys.map(\.rawValue).sorted()
        let parts = [["\(world.machine.phase)"], once(said), told.isEmpty ? [] : ["->"], once(told), late.isEmpty ? [] : ["late:"], late]
        return parts.joined().joined(separator: " ")
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) throws {
        let row = Event.allCases.map { event in
            var world = world(start)
            meet(event, &world)
            let messages = event == .lostTime ? world.run(20_000) : world.turn(after: event == .second ? 1_000 : 0)
            return text(world, messages)
        }
        #expect(row == Self.table[start], "\(start)")
    }
}
