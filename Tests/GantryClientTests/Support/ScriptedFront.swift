//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryClient
import GantryModel
import GantryPackedColumns
import GantryPlatform
import GantryWire
import GantryZMQ
import Synchronization
import Testing

/// A small front behind real sockets, whose answers the test decides.
final class ScriptedFront: Sendable {
    /// A request of a session, which may be repeated.
    fileprivate struct NumberedRequest: Hashable {
        let session: SessionID
        let number: RequestNumber
    }

    struct Script {
        var epoch = Epoch(1)
        var items: [Topic: [TopicItem]] = [:]
        var sequences: [Topic: UInt64] = [:]
        /// The reply to a request; nil: none.
        var reply: @Sendable (RequestBody) -> Reply? = { _ in .done(version: 0) }
        var page: @Sendable (PageRequest) -> PageReply = { PageReply(number: $0.number) }
        var reportsOutcomes = true
        /// How a job ends, by its argument.
        var outcome: @Sendable ([UInt8]) -> (state: JobState, result: [UInt8]) = { (.succeeded, $0) }
        /// Submits from this job's id on are refused.
        var fullFrom = UInt64.max
        /// From the acceptance of this job on every answer is held back, until `release`.
        var heldFrom = UInt64.max
        var knowsSessions = true
        var requests: [RequestBody] = []
        /// How many sessions were closed.
        var closeCount = 0
        var nextJob: UInt64 = 100
        /// What was answered before: a repeat gets the same reply and is never run again.
        fileprivate var retainedReplies: [NumberedRequest: Reply] = [:]
        fileprivate var publications: [(Topic, GantryModel.Publication)] = []
        fileprivate var isStopping = false
    }

    let script = Mutex(Script())
    let folder: String
    private let signal: EventSignal
    private let stopped = StopSignal()
    private let requestSeen = StopSignal()
    private let acceptanceHeld = StopSignal()

    private let hasFolder: Bool

    /// - Parameter folder: whether its sockets stand in a data folder, where clients find them.
    init(folder hasFolder: Bool = false) throws {
        folder = "/tmp/gantry-client-\(try SystemRandom.next())"
        self.hasFolder = hasFolder
        if hasFolder { try FileManager.default.createDirectory(atPath: folder + "/run", withIntermediateDirectories: true) }
        signal = try EventSignal()
    }

    var endpoint: Endpoint { Endpoint(address: address("requests")) }

    /// A client of this front that is as patient as all tests together take: they share two threads, and a call of one may wait behind the others
    /// for longer than a user would.
    func client(_ token: [UInt8] = []) async throws -> GantryClient {
        var options = ClientOptions()
        options.token = token
        (options.connectTimeout, options.requestTimeout) = (.seconds(7_200), .seconds(7_200))
        return try await GantryClient(connect: endpoint, options: options)
    }

    private func address(_ name: String) -> String { "ipc://\(folder)\(hasFolder ? "/run/" : "-")\(name)" }

    /// Starts the thread; a second start after `stop` is the next life.
    func start() throws {
        _ = try startThread(name: "scripted-front") { [self] in
            do { try run() } catch { Issue.record("the scripted front failed: \(error)") }
            stopped.fire()
        }
    }

    /// Ends the life and waits until its sockets are closed.
    func stop() async {
        script.withLock { $0.isStopping = true }
        signal.signal()
        await stopped.wait()
        script.withLock {
            $0.isStopping = false
            $0.epoch = $0.epoch.advanced()
            $0.sequences = [:]
        }
    }

    /// Waits until the first request was read.
    func sawRequest() async { await requestSeen.wait() }

    /// Waits until the acceptance of a job is held back.
    func holdsAcceptance() async { await acceptanceHeld.wait() }

    /// Answers everything that was held back.
    func release() {
        script.withLock { $0.heldFrom = .max }
        signal.signal()
    }

    /// Puts an item and publishes the change.
    func put(_ key: String, _ value: ItemValue, of topic: Topic, isLost: Bool = false) {
        let item = TopicItem(key: Array(key.utf8), value: WireCodec().encode(value))
        script.withLock { script in
            var items = (script.items[topic] ?? []).filter { $0.key != item.key }
            items.append(item)
            script.items[topic] = items
            script.sequences[topic, default: 0] += 1
            let change = GantryModel.Publication.Change(bookmark: script.bookmark(topic), puts: [item], removes: [])
            if !isLost { script.publications.append((topic, .change(change))) }
        }
        signal.signal()
    }

    private func run() throws {
        let context = try Context()
        let router = try Socket<Router>(context)
        try router.apply(OptionSheet())
        try router.bind(address("requests"))
        let publisher = try Socket<ExtendedPublisher>(context)
        try publisher.apply(.publisher())
        try publisher.bind(address("changes"))
        let pages = try Socket<Router>(context)
        try pages.apply(OptionSheet())
        try pages.bind(address("pages"))
        var poller = Poller()
        _ = poller.add(fileDescriptor: signal.fileDescriptor)
        _ = try poller.add(router)
        _ = try poller.add(publisher)
        _ = try poller.add(pages)
        let codec = WireCodec()
        var held: [(RoutingID, FrontEnvelope)] = []
        while !script.withLock({ $0.isStopping }) {
            _ = try poller.wait(upTo: nil)
            signal.drain()
            for (topic, publication) in script.withLock({ $0.takePublications() }) {
                try publisher.publish(topic: topic.frame, payload: codec.encode(publication))
            }
            while let change = try publisher.receiveSubscription() {
                guard change.isSubscribed, let topic = Topic(frame: change.topic) else { continue }
                try publisher.publish(topic: topic.frame, payload: codec.encode(.bookmark(script.withLock { $0.bookmark(topic) })))
            }
            while let message = try router.receiveRouted() {
                let envelope = try codec.decodeClient(message.body.copyBytes())
                for answer in answers(to: envelope) { held.append((message.routingID, answer)) }
                for case .snapshot(let topic, _) in envelope.messages {
                    try publisher.publish(topic: topic.frame, payload: codec.encode(.bookmark(script.withLock { $0.bookmark(topic) })))
                }
            }
            if script.withLock({ $0.nextJob > $0.heldFrom }) {
                acceptanceHeld.fire()
            } else {
                for (peer, answer) in held { _ = try router.send(to: peer, codec.encode(answer)) }
                held = []
            }
            while let message = try pages.receiveRouted() {
                let request = try codec.decodePageRequest(message.body.copyBytes())
                let answer = script.withLock { $0.page }(request)
                _ = try pages.send(to: message.routingID, codec.encode(answer))
            }
        }
    }

    private func answers(to envelope: ClientEnvelope) -> [FrontEnvelope] {
        var messages: [FrontMessage] = []
        var session = envelope.session
        let own = script.withLock { $0.knowsSessions ? session : SessionID($0.epoch.rawValue << 32 | 1) }
        for message in envelope.messages {
            if session != .none, session != own {
                messages = [.sessionEnded]
                break
            }
            switch message {
            case .hello(let hello):
                let resumed = script.withLock { $0.knowsSessions } ? hello.resumed : nil
                session = resumed ?? SessionID(script.withLock { $0.epoch.rawValue } << 32 | 1)
                var welcome = FrontMessage.Welcome(session: session, isResumed: resumed != nil)
                welcome.changesEndpoint = address("changes")
                welcome.pagesEndpoint = address("pages")
                messages.append(.welcome(welcome))
            case .request(let request):
                let place = NumberedRequest(session: session, number: request.number)
                if let reply = script.withLock({ $0.retainedReplies[place] }) ?? answer(request.body) {
                    script.withLock { $0.retainedReplies[place] = reply }
                    // This front knows no defaults.
                    messages.append(.reply(number: request.number, reply, feed: request.body.feed))
                }
                requestSeen.fire()
            case .submit(let submit): messages += accept(submit, in: session)
            case .snapshot(let topic, _): messages.append(script.withLock { $0.snapshot(topic) })
            case .close: script.withLock { $0.closeCount += 1 }
            case .heartbeat(let lowest): messages.append(.heartbeat(.init(lowestUnanswered: lowest)))
            case .snapshotPartRead, .unknown, .unreadable: continue
            }
        }
        guard !messages.isEmpty else { return [] }
        return [FrontEnvelope(front: FrontID(7), epoch: script.withLock { $0.epoch }, session: session, messages: messages)]
    }

    /// Asks the test, and notes what was asked.
    private func answer(_ body: RequestBody) -> Reply? {
        let reply = script.withLock { script in
            script.requests.append(body)
            return script.reply
        }
        return reply(body)
    }

    private func accept(_ submit: ClientMessage.Submit, in session: SessionID) -> [FrontMessage] {
        script.withLock { script in
            let place = NumberedRequest(session: session, number: submit.number)
            if let reply = script.retainedReplies[place] { return [.reply(number: submit.number, reply)] }
            let first = script.nextJob
            guard first < script.fullFrom else {
                return [.reply(number: submit.number, .refused(Failure(code: .busy, text: "full"), retryAfter: .milliseconds(9)))]
            }
            script.nextJob += UInt64(submit.arguments.count)
            let reply = Reply.jobsAccepted(first: JobID(first), count: UInt32(submit.arguments.count))
            script.retainedReplies[place] = reply
            var messages = [FrontMessage.reply(number: submit.number, reply)]
            guard submit.reportsOutcomes, script.reportsOutcomes else { return messages }
            var answers = FrontMessage.Answers()
            answers.jobs = (0..<UInt64(submit.arguments.count)).map { first + $0 }
            let outcomes = submit.arguments.map { script.outcome(Array($0)) }
            answers.states = outcomes.map(\.state)
            answers.results = PackedBytes(outcomes.map(\.result))
            messages.append(.answers(answers))
            return messages
        }
    }
}

extension ScriptedFront.Script {
    fileprivate mutating func takePublications() -> [(Topic, GantryModel.Publication)] {
        defer { publications = [] }
        return publications
    }

    fileprivate func checksum(_ topic: Topic) -> TopicChecksum {
        var checksum = TopicChecksum()
        for item in items[topic] ?? [] { checksum.add(key: item.key, value: item.value) }
        return checksum
    }

    fileprivate func bookmark(_ topic: Topic) -> GantryModel.Publication.Bookmark {
        GantryModel.Publication.Bookmark(
            front: FrontID(7), epoch: epoch, sequence: SequenceNumber(sequences[topic] ?? 0), checksum: checksum(topic))
    }

    fileprivate func snapshot(_ topic: Topic) -> FrontMessage {
        .snapshot(
            FrontMessage.SnapshotPart(
                topic: topic, sequence: SequenceNumber(sequences[topic] ?? 0), checksum: checksum(topic), part: 0, partCount: 1,
                items: items[topic] ?? []))
    }
}
