//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryWire

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
