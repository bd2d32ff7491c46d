//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryPackedColumns
import GantryWire
import TestSupport
import Testing

/// What the front says because of requests at and above their bounds is readable by whom it is said to.
@Suite("What the front says can be read")
struct ReadableTests {
    private let codec = WireCodec()
    private static let items = "items?parameter=sample"

    /// A body, and whether a field of it is above its bound.
    struct Asked: Sendable, CustomTestStringConvertible {
        let name: String
        let body: RequestBody
        let isAbove: Bool
        var testDescription: String { "\(name), \(isAbove ? "above" : "at") its bound" }
    }

    /// One request of each kind; `kinds` compares them with those that the codec knows.
    private static let kinds: [RequestBody] = {
        guard let todos = FeedKey(name: "todos"), let items = FeedKey(text: items) else { return [] }
        return [
            .feed(items, .load), .feed(items, .refresh), .feed(items, .retry(view: "", failure: .none)), .feed(items, .reset(version: nil)),
            .job(.cancel(.none)),
            .feed(todos, .create(item: [])), .feed(todos, .update(itemID: "", item: [])),
            .feed(items, .sort(view: "", order: nil, version: nil)),
            .feed(items, .filter(view: "", text: "", version: nil)), .feed(todos, .select(view: "", itemID: nil, version: nil)),
            .feed(items, .attach(view: "")), .feed(items, .detach(view: "")), .job(.list(JobQuery())), .job(.explain(.none)),
            .job(.outcomes([])), .listFeeds(),
            .feed(items, .cancelLoad(only: nil)), .job(.reprioritize(.none, priority: 0)), .drainWorker(.none), .job(.promote(.none)),
            .job(.delay(.none, .now)), .limit(.set("", LimitRule(capacity: 0))), .limit(.delete("")),
            .pause(.begin(.everything, reason: "", length: nil)), .pause(.end(.everything)),
            .job(.forgive(.none)), .job(.bulk(BulkRequest(.cancel, JobQuery()))),
        ]
    }()

    /// Those requests at and above their bounds.
    static let asked: [Asked] = kinds.flatMap(pairs)

    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }
    private static func bytes(_ count: Int) -> [UInt8] { Array(repeating: 0x20, count: count) }

    private static func revision(_ name: String, _ at: RequestBody, _ above: RequestBody) -> [Asked] {
        [Asked(name: name, body: at, isAbove: false), Asked(name: name, body: above, isAbove: true)]
    }

    private static let long = FeedKey(text: "items?parameter=" + text(384)) ?? .named("items")

    /// What a kind's bounds are; it does not compile without a kind.
    private static func pairs(_ kind: RequestBody) -> [Asked] {
        switch kind {
        case .feed(_, let request): pairs(request)
        case .job(let request): pairs(request)
        case .listFeeds: [Asked(name: "list_feeds' key", body: .listFeeds(after: long), isAbove: false)]
        case .drainWorker: revision("drain_worker", .drainWorker(WorkerID(1)), .drainWorker(WorkerID(.max)))
        case .limit(.set):
            revision(
                "set_limit", .limit(.set(text(63), LimitRule(capacity: 1))), .limit(.set(text(64), LimitRule(capacity: .max))))
        case .limit(.delete): revision("delete_limit", .limit(.delete(text(63))), .limit(.delete(text(900_000))))
        case .pause(.begin):
            revision(
                "pause", .pause(.begin(.loader(text(63)), reason: text(256), length: Pause.longest)),
                .pause(.begin(.loader("slow"), reason: text(257), length: nil)))
        case .pause(.end): revision("resume", .pause(.end(.loader(text(63)))), .pause(.end(.loader(text(900_000)))))
        case .unknown, .unreadable: []
        }
    }

    private static func pairs(_ kind: FeedRequest) -> [Asked] {
        guard let todos = FeedKey(name: "todos"), let items = FeedKey(text: items) else { return [] }
        let unknown = FeedKey(text: "nobody-has-this?parameter=" + text(374)) ?? todos
        return switch kind {
        case .load: revision("load's key", .feed(long, .load), .feed(unknown, .load))
        case .refresh: revision("refresh's key", .feed(long, .refresh), .feed(unknown, .refresh))
        case .retry:
            revision(
                "retry's view", .feed(items, .retry(view: text(63), failure: FailureID(.max))),
                .feed(items, .retry(view: text(900_000), failure: FailureID(.max))))
        case .reset:
            revision("reset's version", .feed(items, .reset(version: nil)), .feed(items, .reset(version: ContentVersion(.max))))
        case .create: revision("create", .feed(todos, .create(item: bytes(65_536))), .feed(todos, .create(item: bytes(65_537))))
        case .update:
            revision(
                "update's id", .feed(todos, .update(itemID: text(1_024), item: bytes(2))),
                .feed(todos, .update(itemID: text(1_025), item: bytes(2))))
                + revision(
                    "update's item", .feed(todos, .update(itemID: "1", item: bytes(65_536))),
                    .feed(todos, .update(itemID: "1", item: bytes(900_000))))
        case .sort:
            revision(
                "sort's view", .feed(items, .sort(view: text(63), order: nil, version: nil)),
                .feed(items, .sort(view: text(64), order: nil, version: nil)))
                + revision(
                    "sort's field", .feed(items, .sort(view: "shared", order: SortOrder(field: "price"), version: nil)),
                    .feed(items, .sort(view: "shared", order: SortOrder(field: text(65)), version: nil)))
                + revision(
                    "sort's version", .feed(items, .sort(view: "mine", order: nil, version: 0)),
                    .feed(items, .sort(view: "mine", order: nil, version: .max)))
        case .filter:
            revision(
                "filter", .feed(items, .filter(view: "shared", text: text(256), version: nil)),
                .feed(items, .filter(view: "shared", text: text(257), version: nil)))
                + revision(
                    "filter's version", .feed(items, .filter(view: "mine", text: "", version: 0)),
                    .feed(items, .filter(view: "mine", text: "", version: .max)))
        case .select:
            revision(
                "select's id", .feed(todos, .select(view: "shared", itemID: text(1_024), version: nil)),
                .feed(todos, .select(view: "shared", itemID: text(1_025), version: nil)))
                + revision(
                    "select's version", .feed(todos, .select(view: "mine", itemID: "1", version: 0)),
                    .feed(todos, .select(view: "mine", itemID: "1", version: .max)))
        case .attach: revision("attach's view", .feed(items, .attach(view: text(63))), .feed(items, .attach(view: text(70_000))))
        // What is not there needs no detaching, whatever its name.
        case .detach:
            [63, 70_000].map { Asked(name: "detach's view", body: .feed(items, .detach(view: text($0))), isAbove: false) }
        case .cancelLoad:
            [Asked(name: "cancel_load's key", body: .feed(unknown, .cancelLoad(only: JobID(.max))), isAbove: true)]
                + revision("cancel_load's job", .feed(items, .cancelLoad(only: JobID(1))), .feed(items, .cancelLoad(only: JobID(.max))))
        }
    }

    private static func pairs(_ kind: JobRequest) -> [Asked] {
        switch kind {
        case .cancel: revision("cancel", .job(.cancel(JobID(1))), .job(.cancel(JobID(.max))))
        case .reprioritize:
            revision("reprioritize", .job(.reprioritize(JobID(.max), priority: 9)), .job(.reprioritize(JobID(1), priority: 10)))
        case .promote: revision("promote", .job(.promote(JobID(.max))), .job(.promote(JobID(1))))
        case .bulk:
            revision(
                "bulk", .job(.bulk(BulkRequest(.reprioritize(9), JobQuery()))), .job(.bulk(BulkRequest(.reprioritize(10), JobQuery()))))
        case .forgive: revision("forgive", .job(.forgive(JobID(.max))), .job(.forgive(JobID(1))))
        case .delay:
            revision(
                "delay", .job(.delay(JobID(.max), .after(JobStart.furthest))),
                .job(.delay(JobID(1), .after(JobStart.furthest + .milliseconds(1)))))
        // Of a loader that cannot be there are no jobs; a limit above the largest is the largest.
        case .list:
            revision(
                "list_jobs' texts", .job(.list(JobQuery(loader: text(4_096), limit: 1_000, before: JobID(.max)))),
                .job(.list(JobQuery(loader: text(4_097), limit: 1_000, before: JobID(.max)))))
                + revision("list_jobs' limit", .job(.list(JobQuery(limit: 1_000))), .job(.list(JobQuery(limit: 1_001))))
        case .explain: revision("explain", .job(.explain(JobID(1))), .job(.explain(JobID(.max))))
        case .outcomes:
            revision(
                "outcomes", .job(.outcomes(Array(repeating: JobID(.max), count: 65_536))),
                .job(.outcomes(Array(repeating: JobID(1), count: 65_537))))
        }
    }

    @Test("every kind of request that the protocol has is asked at its bounds")
    func kinds() throws {
        func name(_ kind: RequestBody) -> Substring {
            let described =
                switch kind {
                case .feed(_, let request): String(describing: request)
                case .job(let request): String(describing: request)
                case .limit(let request): String(describing: request)
                case .pause(let request): String(describing: request)
                case .listFeeds, .drainWorker, .unknown, .unreadable: String(describing: kind)
                }
            return described.prefix { $0 != "(" }
        }
        // messages { request { <number>: {} } }: of a number without a kind the codec makes an unknown request.
        let known = try (UInt8(3)..<128).filter { number in
            let messages = try codec.decodeClient(part(2, part(4, part(number, [])))).messages
            guard case .request(let request)? = messages.first else { return false }
            return request.body != .unknown
        }
        #expect(known.count > 16 && Set(Self.kinds.map(name)).count == known.count)
        for kind in Self.kinds { #expect(Self.pairs(kind).contains { !$0.isAbove }, "\(kind)") }
    }

    /// A front with content, a worker that takes everything and a job that ended with the largest result.
    private func front() throws -> (FrontHarness, WorkerHarness) {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        front.open(largestFrame: 131_072)
        worker.register(with: &front, slots: 8)
        let job = front.run(1, on: &worker)
        worker.end(job.rawValue, result: Array(repeating: 7, count: 65_536), in: &front)
        for key in ["todos", Self.items] {
            guard case .accepted(let load, _) = front.ask(.feed(try #require(FeedKey(text: key)), .load)) else { continue }
            worker.take(front.settle())
            var result = FeedResult()
            result.content = ObjectReference(digest: ObjectDigest(words: (1, 2, 3, load.rawValue)), byteCount: 1, itemCount: 1)
            worker.end(load.rawValue, feed: result, in: &front)
        }
        front.settle()
        return (front, worker)
    }

    /// Everything that follows from a message, as it comes through the codec both ways.
    private func follow(_ message: ClientMessage, in front: inout FrontHarness) throws -> [FrontMessage] {
        let sent = codec.encode(ClientEnvelope(session: front.session, messages: [message]))
        let actions = front.handle(.clientSent(front.client, .everything, try codec.decodeClient(sent))) + front.settle()
        var reported: [FrontMessage] = []
        for action in actions {
            switch action {
            case .send(_, let session, let message):
                let frame = codec.encode(FrontEnvelope(front: FrontID(1), epoch: Epoch(5), session: session, messages: [message]))
                #expect(frame.count <= 131_072, "\(frame.count) bytes")
                reported += try codec.decodeFront(frame).messages
            case .sendToWorker(_, let message), .sendToWorkerApart(_, let message):
                let frame = codec.encode(WorkerBoundEnvelope(front: FrontID(1), epoch: Epoch(5), messages: [message]))
                #expect(frame.count <= 1 << 20)
                for message in try codec.decodeWorkerBound(frame).messages { #expect(!message.isLost) }
            case .changed(let topic, let key):
                if let item = front.machine.item(key, of: topic) { _ = try codec.decodeItem(codec.encode(item)) }
            case .record(let entry): #expect(try codec.decodeEntries(codec.encode([entry])) == [entry])
            case .makeBundle(_, let entries): #expect(try codec.decodeEntries(codec.encode(entries)) == entries)
            // Of these the loop makes messages of its own, or none.
            case .answerRenewal, .answerHeartbeat, .goOn, .sendSnapshot, .continueSnapshot, .watch, .unwatch, .forget, .readBundle,
                .forgetBundle:
                break
            }
        }
        return reported
    }

    @Test("at its bound a request is taken, above it refused by its reply, and all that follows is readable", arguments: asked)
    func requests(asked: Asked) throws {
        var (front, _) = try front()
        let number = RequestNumber(front.nextRequest)
        let reported = try follow(.request(.init(number: number, lowestUnanswered: number, body: asked.body)), in: &front)
        #expect(!reported.contains(.unknown))
        guard case .reply(number, let reply, _)? = reported.first(where: { if case .reply = $0 { true } else { false } }) else {
            Issue.record("no reply: \(reported)")
            return
        }
        if case .refused(let failure, _) = reply {
            #expect(failure.code != .outcomeUnknown && failure.text.utf8.count <= 1_024)
            #expect(asked.isAbove || failure.code == .unknownItem, "\(failure)")
        } else {
            #expect(!asked.isAbove, "\(reply)")
        }
    }

    @Test("a submit at its bounds is taken and granted, above them refused by its reply")
    func submits() throws {
        func submit(_ lengths: [Int], loader: String = "noop", priority: UInt8 = 9) -> ClientMessage.Submit {
            .init(
                number: RequestNumber(100), lowestUnanswered: RequestNumber(1), loader: loader,
                options: JobOptionsColumn(JobOptions(priority: priority)), reportsOutcomes: true,
                arguments: PackedBytes(lengths.map { Array(repeating: 1, count: $0) }))
        }
        let most = Array(repeating: 0, count: 65_536)
        let loader = String(repeating: "x", count: 63)
        let taken = [submit(most), submit([65_536]), submit([1], loader: loader), submit(Array(repeating: 65_536, count: 15))]
        let refused = [
            submit(most + [0]), submit([65_537]), submit([1], loader: loader + "x"),
            submit([1], loader: String(repeating: "x", count: 900_000)),
            submit([1], priority: 10), submit([1], priority: 255), submit([]),
        ]
        for (submits, isTaken) in [(taken, true), (refused, false)] {
            for submit in submits {
                var (front, _) = try front()
                guard case .reply(RequestNumber(100), let reply, nil)? = try follow(.submit(submit), in: &front).first else {
                    Issue.record("no reply to \(submit.arguments.count) jobs")
                    continue
                }
                if case .jobsAccepted = reply { #expect(isTaken) } else { #expect(!isTaken, "\(reply)") }
            }
        }
    }

    @Test("a feed's key of 400 bytes is taken, one of 401 refused by its reply, as is one that is none", arguments: [400, 401, 0])
    func keys(byteCount: Int) throws {
        var (front, _) = try front()
        let start = "items?parameter="
        let key = byteCount == 0 ? "BAD KEY" : start + String(repeating: "x", count: byteCount - start.utf8.count)
        // messages { request { number: 100, lowest_unanswered: 1, load { feed: key } } }
        let load = part(3, part(1, Array(key.utf8)))
        let request = [0x09, 100, 0, 0, 0, 0, 0, 0, 0, 0x11, 1, 0, 0, 0, 0, 0, 0, 0] + load
        var envelope = try codec.decodeClient(part(2, part(4, request)))
        envelope.session = front.session
        let message = try #require(envelope.messages.first)
        let actions = front.handle(.clientSent(front.client, .everything, ClientEnvelope(session: front.session, messages: [message])))
        guard case .send(_, _, .reply(RequestNumber(100), let reply, let feed)) = actions.last else {
            Issue.record("\(actions)")
            return
        }
        switch reply {
        case .accepted: #expect(byteCount == 400 && feed?.text == key)
        case .refused(let failure, _): #expect(failure.code == (byteCount == 401 ? .tooLarge : .invalidData))
        default: Issue.record("\(reply)")
        }
    }

    /// A field of kind 2.
    private func part(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        let tag = Int(number) << 3 | 2
        return [UInt8(tag & 0x7F) | 0x80, UInt8(tag >> 7), UInt8(bytes.count & 0x7F) | 0x80, UInt8(bytes.count >> 7)] + bytes
    }
}

extension WorkerBoundMessage {
    /// Whether the worker could not read it.
    fileprivate var isLost: Bool {
        switch self {
        case .unknown, .unreadable: true
        case .registered, .refused, .reregister, .renewed, .grant, .cancel, .acknowledged, .drain: false
        }
    }
}
