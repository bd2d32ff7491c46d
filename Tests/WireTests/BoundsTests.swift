//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Testing
import Wire

@Suite("Bounds of messages")
struct BoundsTests {
    private let codec = WireCodec()

    private func refusal(of message: ClientMessage) -> CodecError? {
        #expect(throws: CodecError.self) { try codec.decodeClient(codec.encode(ClientEnvelope(messages: [message]))) }
    }

    private func refusal(of message: WorkerMessage) -> CodecError? {
        let envelope = WorkerEnvelope(worker: WorkerID(5), messages: [message])
        return #expect(throws: CodecError.self) { try codec.decodeWorker(codec.encode(envelope)) }
    }

    private func refusal(of message: WorkerBoundMessage) -> CodecError? {
        let envelope = WorkerBoundEnvelope(front: FrontID(7), epoch: Epoch(1), messages: [message])
        return #expect(throws: CodecError.self) { try codec.decodeWorkerBound(codec.encode(envelope)) }
    }

    private func submit(lengths: [UInt32], byteCount: Int) -> ClientMessage {
        var submit = Samples.submit
        submit.lengths = lengths
        submit.arguments = Array(repeating: 1, count: byteCount)
        return .submit(submit)
    }

    @Test("lengths that do not add up to the arguments are refused", arguments: [0, 2, 4])
    func blob(byteCount: Int) {
        let error = refusal(of: submit(lengths: [1, 2], byteCount: byteCount))
        #expect(error?.reason == "its lengths make 3 bytes, but there are \(byteCount)")
    }

    @Test("65,536 jobs are taken and one more is refused")
    func rows() throws {
        let most = ClientEnvelope(messages: [submit(lengths: Array(repeating: 0, count: 65_536), byteCount: 0)])
        #expect(try codec.decodeClient(codec.encode(most)) == most)
        let error = refusal(of: submit(lengths: Array(repeating: 0, count: 65_537), byteCount: 0))
        #expect(error?.reason == "65537 rows is over the limit of 65536")
    }

    @Test("a granted argument of 65,536 bytes is taken and one more byte is refused")
    func argument() throws {
        var grant = Samples.grant
        (grant.lengths, grant.arguments) = ([65_536, 0], Array(repeating: 1, count: 65_536))
        let longest = WorkerBoundEnvelope(front: FrontID(7), epoch: Epoch(1), messages: [.grant(grant)])
        #expect(try codec.decodeWorkerBound(codec.encode(longest)) == longest)
        (grant.lengths, grant.arguments) = ([65_537, 0], Array(repeating: 1, count: 65_537))
        #expect(refusal(of: .grant(grant))?.reason == "65537 bytes is over the limit of 65536")
    }

    @Test("what the front refuses by a numbered reply is read, however large it is")
    func requests() throws {
        let bodies: [RequestBody] = [
            .filter(Samples.todos, view: text(65), text: text(4_097), version: nil),
            .update(Samples.todos, itemID: text(1_025), item: Array(repeating: 1, count: 65_537)),
        ]
        var huge = Samples.submit
        (huge.lengths, huge.arguments) = ([65_537], Array(repeating: 1, count: 65_537))
        (huge.loader, huge.priority) = (text(65), 200)
        let envelope = ClientEnvelope(session: SessionID(9), messages: bodies.map(request) + [.submit(huge)])
        #expect(try codec.decodeClient(codec.encode(envelope)) == envelope)
    }

    @Test("columns of different counts are refused")
    func columns() {
        var ended = Samples.ended
        ended.leases.removeLast()
        #expect(refusal(of: .ended(ended))?.reason == "its columns have 4 and 3 rows")
        var grant = Samples.grant
        grant.attempts.append(1)
        #expect(refusal(of: .grant(grant))?.reason == "its columns have 2 and 3 rows")
    }

    @Test("an index of no row and an index of no loader are refused")
    func indexes() {
        var ended = Samples.ended
        ended.failures = [Indexed(index: 4, value: Samples.failure)]
        #expect(refusal(of: .ended(ended))?.what == "failures of ended jobs")
        var grant = Samples.grant
        grant.loaderIndexes = [0, 2]
        #expect(refusal(of: .grant(grant))?.what == "loaders of granted jobs")
    }

    @Test("an outcome that this version does not know is refused")
    func outcomes() {
        var ended = Samples.ended
        ended.outcomes[2] = 4
        #expect(refusal(of: .ended(ended))?.reason == "a value is not in 0 to 3")
    }

    @Test("texts over their bounds are refused by name")
    func texts() {
        #expect(refusal(of: .hello(ClientMessage.Hello(label: text(65))))?.what == "a client's label")
        var ended = Samples.ended
        ended.feedResults[0].value.itemID = text(1_025)
        #expect(refusal(of: .ended(ended))?.what == "an item's id")
        // Our own writing cuts sentences, so these frames are made of field numbers: messages, refused, reason and so on.
        let reason = #expect(throws: CodecError.self) { try codec.decodeFront(nested([4, 6, 1], text(4_097))) }
        #expect(reason?.what == "a reason")
        let message = #expect(throws: CodecError.self) { try codec.decodeWorker(nested([4, 4, 1, 3, 5], text(257))) }
        #expect(message?.what == "a progress's message")
    }

    @Test("a feed's key that is none is refused")
    func feeds() {
        // Field 2 (messages) { 4 (request) { 3 (load) { 1 (feed): "No" } } }
        let bytes: [UInt8] = [0x12, 8, 0x22, 6, 0x1A, 4, 0x0A, 2, 0x4E, 0x6F]
        let error = #expect(throws: CodecError.self) { try codec.decodeClient(bytes) }
        #expect(error?.what == "a feed's key")
    }

    @Test("a value of an enumeration that this version does not know is refused")
    func enumeration() {
        // Field 3 (job) { 3 (state): 9 }
        let error = #expect(throws: CodecError.self) { try codec.decodeItem([0x1A, 2, 0x18, 9]) }
        #expect(error?.reason == "this version does not know the value 9")
    }

    @Test("a kind that this version does not know is named where it can be answered, and refused elsewhere")
    func unknownKinds() throws {
        // Field 2 (messages) { 99: "" }, with the tag 99 << 3 | 2 as a varint.
        #expect(try codec.decodeClient([0x12, 3, 0x9A, 0x06, 0]).messages == [.unknown])
        #expect(try codec.decodeWorker([0x22, 3, 0x9A, 0x06, 0]).messages == [.unknown])
        #expect(throws: CodecError.self) { try codec.decodeFront([0x22, 3, 0x9A, 0x06, 0]) }
        let request = ClientMessage.Request(number: .none, lowestUnanswered: .none, body: .unknown)
        #expect(try codec.decodeClient([0x12, 5, 0x22, 3, 0x9A, 0x06, 0]).messages == [.request(request)])
    }

    @Test("fields that this version does not know are passed over")
    func unknownFields() throws {
        let golden = try Golden("client-submit")
        #expect(Sample.client(try codec.decodeClient(golden.bytes + [0x9A, 0x06, 0])) == Samples.all["client-submit"])
    }

    @Test("sentences that are too long are cut at a whole scalar when they are written, so that their frame is read")
    func cut() throws {
        let report = WorkerMessage.ProgressReport(
            job: JobID(1), lease: LeaseID(1), progress: Progress(message: text(255) + "é" + text(9)))
        var ended = Samples.ended
        ended.failures[0].value.text = String(repeating: "é", count: 2_049)
        ended.failures[0].value.arguments = [text(4_096), text(4_097)]
        let envelope = WorkerEnvelope(worker: WorkerID(5), messages: [.progress([report]), .ended(ended)])
        let read = try codec.decodeWorker(codec.encode(envelope)).messages
        guard case .progress(let reports) = read[0], case .ended(let shorter) = read[1] else {
            Issue.record("\(read)")
            return
        }
        #expect(reports.map(\.progress.message) == [text(255)])
        #expect(shorter.failures[0].value.text == String(repeating: "é", count: 2_048))
        #expect(shorter.failures[0].value.arguments == [text(4_096), text(4_096)])
    }

    /// A message in a message by these field numbers, `text` in the innermost.
    private func nested(_ numbers: [UInt8], _ text: String) -> [UInt8] {
        numbers.reversed().reduce(Array(text.utf8)) { inner, number in
            [number << 3 | 2, UInt8(inner.count & 0x7F) | 0x80, UInt8(inner.count >> 7)] + inner
        }
    }

    private func request(_ body: RequestBody) -> ClientMessage {
        .request(ClientMessage.Request(number: RequestNumber(1), lowestUnanswered: RequestNumber(1), body: body))
    }

    private func text(_ byteCount: Int) -> String { String(repeating: "x", count: byteCount) }
}
