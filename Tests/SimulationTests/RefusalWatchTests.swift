//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryWire
import TestSupport
import Testing

@testable import Simulation

@Suite("The codes of refusals, as a world compares them")
struct RefusalWatchTests {
    private let session = SessionID(7)

    private func fault(of code: FailureCode, to number: UInt64, after frame: [UInt8]) -> String? {
        var watch = RefusalWatch()
        watch.arrived(frame)
        return watch.fault(of: Failure(code: code, text: "no"), to: RequestNumber(number), of: session)
    }

    private func frame(_ messages: ClientMessage...) -> [UInt8] {
        WireCodec().encode(ClientEnvelope(session: session, messages: messages))
    }

    private func load(_ number: UInt64) -> ClientMessage {
        .request(.init(number: RequestNumber(number), lowestUnanswered: RequestNumber(1), body: .feed(.named("products"), .load)))
    }

    private func submit(_ number: UInt64) -> ClientMessage {
        .submit(.init(number: RequestNumber(number), lowestUnanswered: RequestNumber(1), loader: "noop", arguments: [[1, 2]]))
    }

    @Test("a request and a submit are refused with what the protocol names for each, and with nothing else")
    func kinds() {
        let frame = frame(load(3), submit(4))
        #expect(fault(of: .unknownFeed, to: 3, after: frame) == nil)
        #expect(fault(of: .unknownFeed, to: 4, after: frame) == "session 7 is refused submit with unknownFeed: no")
        #expect(fault(of: .unknownLoader, to: 4, after: frame) == nil)
        #expect(fault(of: .unknownLoader, to: 3, after: frame) == "session 7 is refused load with unknownLoader: no")
    }

    @Test("what is asked behind a hello is so in a session that the frame does not name")
    func behindHello() {
        var watch = RefusalWatch()
        watch.arrived(frame(.request(.init(number: RequestNumber(3), lowestUnanswered: RequestNumber(1), body: .job(.explain(JobID(1)))))))
        watch.arrived(
            WireCodec().encode(ClientEnvelope(session: SessionID(8), messages: [.hello(ClientMessage.Hello(label: "x")), load(3)])))
        let failure = Failure(code: .unknownFeed, text: "no")
        #expect(watch.fault(of: failure, to: RequestNumber(3), of: session) == nil)
        #expect(watch.fault(of: failure, to: RequestNumber(4), of: session) == nil)
        #expect(watch.fault(of: Failure(code: .unknownLoader, text: "no"), to: RequestNumber(3), of: session) != nil)
    }

    @Test("of what nobody has asked nothing is known, nor of another session's")
    func notAsked() {
        let frame = frame(load(3))
        #expect(fault(of: .unknownLoader, to: 4, after: frame) == nil)
        let other = WireCodec().encode(ClientEnvelope(session: SessionID(8), messages: [load(3)]))
        #expect(fault(of: .unknownLoader, to: 3, after: other) == nil)
    }

    @Test("several things that are asked under one number may be refused with what is named for any of them")
    func oneNumber() {
        let frame = frame(load(3), submit(3))
        #expect(fault(of: .unknownFeed, to: 3, after: frame) == nil)
        #expect(fault(of: .unknownLoader, to: 3, after: frame) == nil)
        #expect(fault(of: .quarantined, to: 3, after: frame) == "session 7 is refused load or submit with quarantined: no")
    }

    @Test("a request that names something which cannot be has its kind; bytes that are cut off, or of no message, have none")
    func spoiled() {
        // A load of a feed with a name that is none: the target of the field 3 is empty.
        let request: [UInt8] = [0x09, 3, 0, 0, 0, 0, 0, 0, 0, 0x1A, 0]
        let unreadable = frame() + [0x12, UInt8(request.count + 2), 0x22, UInt8(request.count)] + request
        #expect(fault(of: .invalidData, to: 3, after: unreadable) == nil)
        #expect(fault(of: .unknownLoader, to: 3, after: unreadable) != nil)
        for count in unreadable.indices { #expect(fault(of: .unknownLoader, to: 3, after: Array(unreadable.prefix(count))) == nil) }
        let endless = [UInt8](repeating: 0xFF, count: 40)
        for tag: UInt8 in 0...255 { #expect(fault(of: .unknownLoader, to: 3, after: [tag] + endless) == nil) }
    }
}
