//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel
import GantryPackedColumns
import GantryWire

/// Somebody who speaks to the front and keeps to nothing: what it sends is malformed, extreme or repeated.
///
/// It speaks for itself only: no promise to the others may break, and no frame may end the front.
class Hostile: Process {
    private let kind: Endpoint.Kind
    private(set) lazy var endpoint = Endpoint(self, kind)
    /// What it has sent, to be sent again as it was or spoiled.
    private var sent: [[UInt8]] = []

    init(_ world: World, name: String, _ kind: Endpoint.Kind) {
        self.kind = kind
        super.init(world, name: name)
    }

    /// Begins to speak.
    final func begin() {
        world.network.open(endpoint)
        act()
    }

    /// The next frame that it makes up, readable or not.
    func frame() -> [UInt8] { [] }

    /// Takes what the front says.
    func received(_ bytes: [UInt8]) {}

    override func turn() {
        while let frame = endpoint.inbox.popFirst() { received(frame.payload) }
    }

    private func act() {
        world.after(world.chance.spread(5, 400)) { [self] in
            guard world.isStormy else { return }
            for _ in 0..<1 + world.chance.below(4) { send() }
            act()
        }
    }

    private func send() {
        var bytes = sent.isEmpty || world.chance.chance(0.6) ? frame() : world.chance.pick(sent) ?? []
        if sent.count < 50 { sent.append(bytes) }
        switch world.chance.below(5) {
        case 0: spoil(&bytes)
        case 1: bytes = Array(bytes.prefix(world.chance.below(bytes.count + 1)))
        case 2: bytes += world.chance.pick(sent) ?? []
        default: break
        }
        // A socket drops what is larger, and its connection with it: that is libzmq's to show.
        guard bytes.count <= world.variation.workerFrame else { return }
        world.count(.hostileFrame)
        _ = world.network.send(bytes, from: endpoint)
    }

    private func spoil(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        for _ in 0..<1 + world.chance.below(8) { bytes[world.chance.below(bytes.count)] = UInt8(truncatingIfNeeded: world.chance.next()) }
    }

    /// A number as an attacker likes it: next to a bound, or any.
    final func number() -> UInt64 {
        switch world.chance.below(8) {
        case 0: .max
        case 1: .max - 1
        case 2: 0
        case 3: 1
        case 4: UInt64(Int64.max)
        case 5: UInt64(UInt32.max)
        case 6: world.chance.next()
        default: UInt64(world.chance.below(2_000))
        }
    }

    /// A text, often longer than any bound.
    final func text() -> String {
        switch world.chance.below(6) {
        case 0: ""
        case 1: String(repeating: "x", count: 1 << world.chance.below(15))
        case 2: "../../\u{0}\u{202E}%00"
        case 3: "todos"
        case 4: "hostile"
        default: "items?parameter=\(world.chance.below(100))"
        }
    }
}

// A client and a worker that keep to nothing.

/// A client that keeps to nothing.
final class HostileClient: Hostile {
    private var session = SessionID.none
    /// Requests that it has counted as it should.
    private var requestCount: UInt64 = 0

    init(_ world: World) { super.init(world, name: "hostile client", .requests) }

    override func received(_ bytes: [UInt8]) {
        guard let envelope = try? WireCodec().decodeFront(bytes) else { return }
        for case .welcome(let welcome) in envelope.messages where welcome.session != session {
            (session, requestCount) = (welcome.session, 0)
        }
    }

    override func frame() -> [UInt8] {
        var messages: [[UInt8]] = []
        if session == .none || world.chance.chance(0.05) { messages.append(encoded(.hello(hello()))) }
        for _ in 0..<world.chance.below(12) { messages.append(message()) }
        // Many of the same cost more than many different ones.
        if let first = messages.last, world.chance.chance(0.1) { messages += Array(repeating: first, count: world.chance.below(300)) }
        let head = ClientEnvelope(session: world.chance.chance(0.95) ? session : SessionID(number()), messages: [])
        return WireCodec().encode(head) + messages.joined()
    }

    /// A message, to be put behind an envelope without messages: they are its last field.
    private func encoded(_ message: ClientMessage) -> [UInt8] { WireCodec().encode(ClientEnvelope(messages: [message])) }

    private func hello() -> ClientMessage.Hello {
        var hello = ClientMessage.Hello(label: text())
        hello.largestFrame = UInt32(truncatingIfNeeded: number())
        if world.chance.chance(0.2) { hello.resumed = SessionID(number()) }
        if world.chance.chance(0.1) { hello.maximumVersion = UInt32(truncatingIfNeeded: number()) }
        return hello
    }

    private func message() -> [UInt8] {
        switch world.chance.below(10) {
        case 0: encoded(.heartbeat(lowestUnanswered: RequestNumber(number())))
        case 1: encoded(.snapshot(topic: topic()))
        case 2: encoded(world.late.chance(0.05) ? .close : .snapshotPartRead(topic: topic()))
        case 3: submit()
        default: encoded(.request(request()))
        }
    }

    /// Some are by the book as far as their numbers go, so that they come as far as what they ask for.
    private func request() -> ClientMessage.Request {
        guard world.late.chance(0.4) else {
            return ClientMessage.Request(number: RequestNumber(number()), lowestUnanswered: RequestNumber(number()), body: body())
        }
        requestCount += 1
        return ClientMessage.Request(
            number: RequestNumber(requestCount), lowestUnanswered: RequestNumber(requestCount),
            body: world.late.chance(0.7) ? change() : body())
    }

    /// A change of what is its own, or of what is nobody's.
    private func change() -> RequestBody {
        let own = FeedKey(text: "items?parameter=\(world.late.below(100))") ?? key()
        let bytes = [UInt8](repeating: 7, count: world.late.below(5_000))
        switch world.late.below(10) {
        case 0: return .feed(own, .load)
        case 1: return .feed(own, .refresh)
        case 2: return .job(.cancel(JobID(number() | 1 << 48)))
        case 3: return .feed(own, .cancelLoad(only: world.late.chance(0.5) ? JobID(number()) : nil))
        case 4: return .feed(own, .create(item: bytes))
        case 5: return .feed(own, .update(itemID: text(), item: bytes))
        case 6: return .feed(own, .sort(view: text(), order: SortOrder(field: text(), ascending: true), version: number()))
        case 7: return .feed(own, .filter(view: text(), text: text(), version: world.late.chance(0.5) ? nil : number()))
        case 8: return .feed(own, .select(view: text(), itemID: text(), version: nil))
        default: return .feed(own, .reset(version: nil))
        }
    }

    /// Often with a length too many, so that they do not add up to the arguments, or with an index of options that are not there.
    private func submit() -> [UInt8] {
        let bytes = [UInt8](repeating: 1, count: world.chance.below(2_000))
        let surplus = world.chance.chance(0.3) ? UInt32(truncatingIfNeeded: number()) : nil
        let submit = ClientMessage.Submit(
            number: RequestNumber(number()), lowestUnanswered: RequestNumber(number()),
            loader: world.chance.chance(0.5) ? "hostile" : text(),
            options: JobOptionsColumn(JobOptions(priority: UInt8(truncatingIfNeeded: number()))),
            reportsOutcomes: world.chance.chance(0.5), arguments: [bytes])
        var message = encoded(.submit(submit))
        if world.optionChance.chance(0.2) {
            message = field(2, content(of: message) + field(5, field(8, varint(UInt64(world.optionChance.below(3))))))
        }
        guard let surplus else { return message }
        return field(2, content(of: message) + field(5, field(6, varint(UInt64(surplus)))))
    }

    /// What is in the only field of a message.
    private func content(of message: [UInt8]) -> ArraySlice<UInt8> {
        // The tag takes a byte, the varint of the length ends with the first byte that says that none follows.
        let end = message.dropFirst().firstIndex { $0 < 0x80 } ?? message.endIndex - 1
        return message[(end + 1)...]
    }

    /// A field that holds bytes: parts of a message that comes twice are put together where it is read.
    private func field(_ number: UInt8, _ content: some Collection<UInt8>) -> [UInt8] {
        [number << 3 | 2] + varint(UInt64(content.count)) + content
    }

    private func varint(_ number: UInt64) -> [UInt8] {
        number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7F) | 0x80] + varint(number >> 7)
    }

    private func topic() -> Topic {
        switch world.chance.below(4) {
        case 0: .job(JobID(number()))
        case 1: .feed(key())
        case 2: .view(key(), "shared")
        default: .jobs
        }
    }

    private func key() -> FeedKey { FeedKey(text: text()) ?? Feeds.keys[3] }

    /// Questions, and changes of what is its own: it may do everything that a client may, which would hide what it must not.
    private func body() -> RequestBody {
        switch world.chance.below(9) {
        case 0: .job(.list(JobQuery(limit: UInt32(truncatingIfNeeded: number()), before: JobID(number()))))
        case 1: .listFeeds(after: key())
        case 2: .job(.explain(JobID(number())))
        case 3: .job(.outcomes((0..<world.chance.below(200)).map { _ in JobID(number()) }))
        case 4: .feed(key(), .attach(view: text()))
        case 5: .feed(key(), .detach(view: text()))
        case 6: .feed(key(), .reset(version: ContentVersion(number())))
        // No failure that there is: to repeat another's save is everybody's right, and makes its item anew.
        case 7: .feed(key(), .retry(view: text(), failure: FailureID(number() | 1 << 32)))
        default: .feed(key(), .select(view: text(), itemID: text(), version: number()))
        }
    }
}

/// A worker that keeps to nothing; it offers a loader of its own, so that it gets no work of others.
final class HostileWorker: Hostile {
    private let id: WorkerID
    private var epoch = Epoch.none
    private var registrationNumber = RegistrationNumber.none
    private var renewal: UInt64 = 0
    /// What it was granted: jobs of its own loader.
    private var granted: [(job: UInt64, lease: UInt64)] = []

    init(_ world: World) {
        id = WorkerID(world.chance.next() | 1)
        super.init(world, name: "hostile worker", .worker)
    }

    override func received(_ bytes: [UInt8]) {
        guard let envelope = try? WireCodec().decodeWorkerBound(bytes) else { return }
        epoch = envelope.epoch
        for message in envelope.messages {
            if case .registered(let registered) = message { registrationNumber = registered.registrationNumber }
            if case .grant(let grant) = message { granted += zip(grant.jobs, grant.leases).map { (job: $0, lease: $1) } }
        }
    }

    override func frame() -> [UInt8] {
        let messages = (0..<1 + world.chance.below(6)).map { _ in message() }
        return WireCodec().encode(
            WorkerEnvelope(
                worker: id, epoch: world.chance.chance(0.9) ? epoch : Epoch(number()),
                registrationNumber: world.chance.chance(0.9) ? registrationNumber : RegistrationNumber(number()), messages: messages))
    }

    private func message() -> WorkerMessage {
        switch world.chance.below(9) {
        case 0: .register(registration())
        case 1: .draining
        case 2:
            .progress([
                .init(job: JobID(number()), lease: LeaseID(number()), progress: JobProgress(percent: 255, completed: .max, unit: text()))
            ])
        case 3: .ended(ended())
        case 4: .cancelStep(LeaseID(number()), .stopping)
        case 5: .overdue(jobs: numbers())
        case 6: leaving()
        default: .renewal(nextRenewal(), leases: numbers())
        }
    }

    private func leaving() -> WorkerMessage {
        switch world.late.below(4) {
        // As if it had not taken what it was granted last.
        case 0: .close(takenBelow: LeaseID(granted.last?.lease ?? 0))
        case 1:
            .refusedGrants(.init(leases: granted.suffix(world.late.below(4)).map(\.lease) + numbers(), code: .invalidData, reason: text()))
        default: .draining
        }
    }

    private func nextRenewal() -> RenewalNumber {
        renewal += 1
        return RenewalNumber(world.chance.chance(0.7) ? renewal : number())
    }

    private func numbers() -> [UInt64] { (0..<world.chance.below(40)).map { _ in number() } }

    private func registration() -> WorkerMessage.Registration {
        var registration = WorkerMessage.Registration(
            name: text(), processID: UInt32(truncatingIfNeeded: number()), slots: UInt32(truncatingIfNeeded: number()),
            prefetch: UInt32(truncatingIfNeeded: number()), loaders: [LoaderDeclaration(name: "hostile", isBulk: world.chance.chance(0.5))]
        )
        registration.secret = Array(repeating: 1, count: 32)
        if world.late.chance(0.5) {
            (registration.slots, registration.prefetch) = (UInt32(1 + world.late.below(4)), UInt32(world.late.below(9)))
        }
        registration.held = numbers().map { .init(job: JobID($0), lease: LeaseID(number())) }
        if world.late.chance(0.2) { registration.loaders += (0..<world.late.below(12)).map { LoaderDeclaration(name: "hostile-\($0)") } }
        if world.late.chance(0.2), let first = registration.held.first {
            registration.held = Array(repeating: first, count: world.late.below(1_000))
        }
        return registration
    }

    private func ended() -> WorkerMessage.Ended {
        if !granted.isEmpty, world.late.chance(0.7) { return endedOwn() }
        var ended = WorkerMessage.Ended(report: number())
        ended.jobs = numbers()
        // One job twice in one report.
        if let first = ended.jobs.first { ended.jobs.append(first) }
        ended.leases = ended.jobs.map { _ in number() }
        ended.outcomes = ended.jobs.map { _ in outcome(world.chance.next()) }
        ended.results = PackedBytes(repeating: [0], count: ended.jobs.count)
        return ended
    }

    private func outcome(_ number: UInt64) -> Outcome { Outcome(rawValue: UInt8(number % 4)) ?? .failed }

    /// Outcomes of what it was granted, with failures and results of feeds that may belong to none of them.
    private func endedOwn() -> WorkerMessage.Ended {
        var ended = WorkerMessage.Ended(report: world.late.next() >> 1)
        for own in granted.suffix(1 + world.late.below(4)) {
            ended.jobs.append(own.job)
            ended.leases.append(own.lease)
            ended.outcomes.append(outcome(UInt64(world.late.below(4))))
            ended.results.append([UInt8](repeating: 9, count: world.late.below(200)))
        }
        let failure = Failure(id: FailureID(number()), code: .httpStatus, text: text(), attempts: .max)
        ended.failures = (0..<world.late.below(3)).map { _ in Indexed(index: UInt32(world.late.below(5)), value: failure) }
        var result = FeedResult()
        (result.itemID, result.detail, result.source) = (text(), [1], ContentSource(rawValue: text()))
        ended.feedResults = (0..<world.late.below(2)).map { _ in Indexed(index: UInt32(world.late.below(5)), value: result) }
        return ended
    }
}
