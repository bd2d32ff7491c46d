//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryWire
import Testing

@Suite("Bounds of messages")
struct BoundsTests {
    private let codec = WireCodec()

    private func read(_ message: ClientMessage) throws -> ClientMessage? {
        try codec.decodeClient(codec.encode(ClientEnvelope(messages: [.close, message, .close]))).alone(between: .close)
    }

    /// Why a message is unreadable; the messages around it are read.
    private func refusal(of message: WorkerMessage) throws -> CodecError? {
        let envelope = WorkerEnvelope(worker: WorkerID(5), messages: [.draining, message, .draining])
        let messages = try codec.decodeWorker(codec.encode(envelope)).messages
        #expect(messages.count == 3 && messages.first == .draining && messages.last == .draining)
        guard case .unreadable(let error) = messages[1] else { return nil }
        return error
    }

    /// What a grant is read as; the messages around it are read.
    private func parts(of grant: WorkerBoundMessage.Grant) throws -> [WorkerBoundMessage] {
        let envelope = WorkerBoundEnvelope(front: FrontID(7), epoch: Epoch(1), messages: [.reregister, .grant(grant), .reregister])
        let messages = try codec.decodeWorkerBound(codec.encode(envelope)).messages
        #expect(messages.first == .reregister && messages.last == .reregister)
        return Array(messages.dropFirst().dropLast())
    }

    /// Jobs without arguments.
    private func submit(_ count: Int) -> ClientMessage {
        var submit = Samples.submit
        (submit.arguments, submit.options) = (PackedBytes(repeating: [], count: count), JobOptionsColumn())
        return .submit(submit)
    }

    @Test("a priority that is none comes to the front as one, which refuses it in its own words")
    func priority() throws {
        let request = ClientMessage.Request(
            number: RequestNumber(3), lowestUnanswered: RequestNumber(3), body: .job(.reprioritize(JobID(7), priority: 10)))
        #expect(try read(.request(request)) == .request(request))
    }

    @Test("a submit whose lengths do not add up to the arguments becomes a request under its number that is refused", arguments: [0, 2, 4])
    func blob(byteCount: Int) throws {
        let error = CodecError(what: "arguments of submitted jobs", reason: "its lengths make 3 bytes, but there are \(byteCount)")
        // Field 2 (messages) { 5 (submit) { 1 (number): 21, 2 (lowest_unanswered): 20, 6 (lengths): 1, 2, 7 (arguments) } }
        let numbers: [UInt8] = [0x09, 21, 0, 0, 0, 0, 0, 0, 0, 0x11, 20, 0, 0, 0, 0, 0, 0, 0]
        let submit = numbers + [0x32, 2, 1, 2, 0x3A, UInt8(byteCount)] + Array(repeating: 1, count: byteCount)
        let beside = codec.encode(ClientEnvelope(messages: [.close]))
        #expect(try codec.decodeClient(beside + nested([2, 5], submit) + beside).alone(between: .close) == refused(error))
    }

    @Test("a grant whose lengths do not add up to the arguments is unreadable, and its jobs are all named")
    func grantedBlob() throws {
        // Field 3 (messages) { 4 (grant) { 4 (loaders): "a", 5 (jobs): 42, 6 (leases): 7, 7 (loader_indexes): 0, 8 (attempts): 1,
        // 9 (lengths): 2, 10 (arguments): a byte } }
        let ids: [UInt8] = [0x22, 1, 0x61, 0x2A, 8, 42, 0, 0, 0, 0, 0, 0, 0, 0x32, 8, 7, 0, 0, 0, 0, 0, 0, 0]
        let grant = ids + [0x3A, 1, 0, 0x42, 1, 1, 0x4A, 1, 2, 0x52, 1, 9]
        let error = CodecError(what: "arguments of granted jobs", reason: "its lengths make 2 bytes, but there are 1")
        #expect(try codec.decodeWorkerBound(nested([3, 4], grant)).messages == [.unreadable(error, leases: [7])])
    }

    @Test("65,536 jobs are taken and one more is refused")
    func rows() throws {
        let most = ClientEnvelope(messages: [submit(65_536)])
        #expect(try codec.decodeClient(codec.encode(most)) == most)
        let error = CodecError(what: "submitted jobs", reason: "65537 rows is over the limit of 65536", code: .tooLarge)
        #expect(try read(submit(65_537)) == refused(error))
    }

    @Test("a granted argument of 65,536 bytes is taken and one more byte is refused")
    func argument() throws {
        var grant = Samples.grant
        grant.arguments = [Array(repeating: 1, count: 65_536), []]
        let longest = WorkerBoundEnvelope(front: FrontID(7), epoch: Epoch(1), messages: [.grant(grant)])
        #expect(try codec.decodeWorkerBound(codec.encode(longest)) == longest)
        grant.arguments = [Array(repeating: 1, count: 65_537), []]
        let error = CodecError(what: "arguments of granted jobs", reason: "65537 bytes is over the limit of 65536", code: .tooLarge)
        #expect(try parts(of: grant).first == .unreadable(error, leases: [1_042]))
    }

    @Test("what the front refuses by a numbered reply is read, however large it is")
    func requests() throws {
        let bodies: [RequestBody] = [
            .feed(Samples.todos, .filter(view: text(65), text: text(4_097), version: nil)),
            .feed(Samples.todos, .update(itemID: text(1_025), item: Array(repeating: 1, count: 65_537))),
        ]
        var huge = Samples.submit
        (huge.arguments, huge.options) = ([Array(repeating: 1, count: 65_537)], JobOptionsColumn())
        huge.loader = text(65)
        let envelope = ClientEnvelope(session: SessionID(9), messages: bodies.map(request) + [.submit(huge)])
        #expect(try codec.decodeClient(codec.encode(envelope)) == envelope)
    }

    @Test("options of submitted jobs that cannot be are refused under the submit's number")
    func options() throws {
        let what = "options of submitted jobs"
        // Field 2 (messages) { 5 (submit) { 1 (number): 21, 2 (lowest_unanswered): 20, 6 (lengths): 0, 0 } } with 4 (options), 8 (option_indexes)
        let numbers: [UInt8] = [0x09, 21, 0, 0, 0, 0, 0, 0, 0, 0x11, 20, 0, 0, 0, 0, 0, 0, 0, 0x32, 2, 0, 0]
        let ten: [UInt8] = [0x22, 2, 8, 10]
        let nine: [UInt8] = [0x22, 2, 8, 9]
        let usual: [UInt8] = [0x22, 0]
        let cases: [([UInt8], CodecError)] = [
            (ten, CodecError(what: "a job's options", reason: "a priority is 0 to 9, not 10")),
            ([0x22, 3, 8, 0x80, 2], CodecError(what: "a job's options", reason: "a priority is 0 to 9, not 255")),
            ([0x22, 5, 0x12, 3, 0x61, 0x2C, 0x62], CodecError(what: "a job's options", reason: "a tag has no comma, unlike \"a,b\"")),
            ([0x42, 2, 0, 0], CodecError(what: what, reason: "index 0 is not below 0")),
            (nine + [0x42, 2, 0, 1], CodecError(what: what, reason: "index 1 is not below 1")),
            (nine + [0x42, 1, 0], CodecError(what: what, reason: "options are named 1 times for 2 jobs")),
            (nine + [0x42, 3, 0, 0, 0], CodecError(what: what, reason: "options are named 3 times for 2 jobs")),
            (
                Array(repeating: usual, count: 257).flatMap { $0 },
                CodecError(what: what, reason: "257 different ones is over the limit of 256", code: .tooLarge)
            ),
        ]
        let beside = codec.encode(ClientEnvelope(messages: [.close]))
        for (fields, error) in cases {
            #expect(try codec.decodeClient(beside + nested([2, 5], numbers + fields) + beside).alone(between: .close) == refused(error))
        }
        let taken = try codec.decodeClient(nested([2, 5], numbers + nine + usual + [0x42, 2, 1, 0]))
        guard case .submit(let submit) = taken.messages.first else { throw CodecError(what: "the submit", reason: "it is refused") }
        #expect((0..<2).map { submit.options[$0].priority } == [5, 9])
    }

    @Test("columns of different counts are unreadable, and the jobs of such a grant are all named")
    func columns() throws {
        var ended = Samples.ended
        ended.leases.removeLast()
        #expect(try refusal(of: .ended(ended))?.reason == "its columns have 5 and 4 rows")
        var grant = Samples.grant
        grant.attempts.append(1)
        let error = CodecError(what: "granted jobs", reason: "its columns have 2 and 3 rows")
        #expect(try parts(of: grant) == [.unreadable(error, leases: [1_042, 1_043])])
    }

    @Test("an index of no row and an index of no loader are unreadable")
    func indexes() throws {
        var ended = Samples.ended
        ended.failures = [Indexed(index: 5, value: Samples.failure)]
        #expect(try refusal(of: .ended(ended))?.what == "failures of ended jobs")
        var grant = Samples.grant
        grant.loaderIndexes = [0, 2]
        guard case .unreadable(let error, [1_043]) = try parts(of: grant).first else {
            Issue.record("\(try parts(of: grant))")
            return
        }
        #expect(error.what == "loaders of granted jobs")
    }

    @Test("of a grant only the jobs that cannot be read are left out, with their arguments and feed work")
    func partOfAGrant() throws {
        var grant = Samples.grant
        (grant.jobs, grant.leases) = (grant.jobs + [44], grant.leases + [1_044])
        grant.loaderIndexes.append(0)
        grant.attempts.append(1)
        grant.arguments = PackedBytes(["abc".utf8, "de".utf8, "fghi".utf8])
        (grant.attemptTimeouts, grant.deadlines) = ([30_000, 0, 7], [0, 3_600_000, 9])
        grant.limitIndexes = [1, 0, 1]
        grant.feedWork[0].value.itemID = text(1_025)
        let other = FeedWork(key: Samples.todos, operation: .load, settings: [], acceptedAt: Samples.noon)
        grant.feedWork.append(Indexed(index: 2, value: other))
        let parts = try parts(of: grant)
        guard parts.count == 2, case .unreadable(let error, let leases) = parts[0], case .grant(let rest) = parts[1] else {
            Issue.record("\(parts)")
            return
        }
        #expect(error == CodecError(what: "an item's id", reason: "1025 bytes is over the limit of 1024", code: .tooLarge))
        #expect(leases == [1_043] && rest.jobs == [42, 44] && rest.leases == [1_042, 1_044])
        #expect(rest.attemptTimeouts == [30_000, 7] && rest.deadlines == [0, 9])
        #expect(rest.arguments == PackedBytes(["abc".utf8, "fghi".utf8]) && rest.feedWork == [Indexed(index: 1, value: other)])
        #expect(rest.limitIndexes == [1, 1] && rest.limitSets == grant.limitSets)
        // A set of limits that cannot be read takes only the jobs that count in it.
        (grant.feedWork, grant.limitIndexes) = ([], [1, 2, 0])
        grant.limitSets.append([GrantedLimit(LimitKey(text(65)), nil)])
        let others = try self.parts(of: grant).compactMap { if case .grant(let grant) = $0 { grant } else { nil } }
        #expect(others.map(\.jobs) == [[42, 44]] && others.map(\.limitIndexes) == [[1, 0]])
    }

    @Test("an outcome that this version does not know is unreadable")
    func outcomes() throws {
        // Field 4 (messages) { 5 (ended) { jobs, leases, outcomes, lengths of one job } }
        let job: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]
        func messages(_ outcome: UInt8) throws -> [WorkerMessage] {
            try codec.decodeWorker(nested([4, 5], [0x12, 8] + job + [0x1A, 8] + job + [0x22, 1, outcome, 0x2A, 1, 0])).messages
        }
        var known: [Outcome] = []
        for case .ended(let ended) in try messages(3) { known += ended.outcomes }
        #expect(known == [.returned])
        // One that is snoozed says for how long.
        #expect(try messages(4) == [.unreadable(CodecError(what: "snoozed jobs", reason: "its columns have 1 and 0 rows"))])
        #expect(try messages(5) == [.unreadable(CodecError(what: "the outcome of an ended job", reason: "5 is none"))])
    }

    @Test("texts over their bounds are refused by name, and what stands beside them is read")
    func texts() throws {
        let label = CodecError(what: "a client's label", reason: "65 bytes is over the limit of 64", code: .tooLarge)
        #expect(try read(.hello(ClientMessage.Hello(label: text(65)))) == .unreadable(label))
        var ended = Samples.ended
        ended.feedResults[0].value.itemID = text(1_025)
        #expect(try refusal(of: .ended(ended))?.what == "an item's id")
        // Our own writing cuts sentences, so these frames are made of field numbers: messages, refused, reason and so on.
        #expect(try codec.decodeFront(nested([4, 6, 1], text(4_097)) + nested([4, 2], "")).messages == [.unknown, .sessionEnded])
        let reason = try codec.decodeWorker(nested([4, 10, 3], text(4_097)) + nested([4, 9], "")).messages
        let tooLong = CodecError(what: "a reason", reason: "4097 bytes is over the limit of 4096", code: .tooLarge)
        #expect(reason == [.unreadable(tooLong), .close()])
    }

    @Test("a progress with a text over its bound is passed over, its neighbors are read", arguments: [(5, 257), (4, 65)])
    func progress(field: UInt8, byteCount: Int) throws {
        // Field 4 (messages) { 4 (progress) { 1 (reports) { 3 (progress) { 4 (unit) or 5 (message) } } } }
        let reports = nested([1, 3, field], text(byteCount)) + nested([1, 3, field], text(byteCount - 1))
        guard case .progress(let read) = try codec.decodeWorker(nested([4, 4], reports)).messages.first else {
            Issue.record("the message is refused")
            return
        }
        #expect(read.map { ($0.progress.unit + $0.progress.message).utf8.count } == [byteCount - 1])
    }

    @Test("of a failure's arguments the first 32 are taken, each cut at 1,024 bytes, whoever wrote them")
    func failureArguments() throws {
        // Field 4 (messages) { 5 (ended) { jobs, leases, outcomes, lengths of one job; 7 (failures) { 2 (failure) { 4 (arguments) } } } }
        let one: [UInt8] = [0x12, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0x1A, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0x22, 1, 1, 0x2A, 1, 0]
        let arguments = (0..<40).flatMap { _ in nested([4], text(1_030)) }
        let failure = [0x3A] + varint(arguments.count + 4) + [0x12] + varint(arguments.count) + arguments
        let frame = [0x22] + varint(one.count + failure.count + 4) + [0x2A] + varint(one.count + failure.count) + one + failure
        guard case .ended(let ended) = try codec.decodeWorker(frame).messages.first else {
            Issue.record("\(try codec.decodeWorker(frame).messages)")
            return
        }
        #expect(ended.failures.map(\.value.arguments) == [Array(repeating: text(1_024), count: 32)])
    }

    @Test("a key that is none becomes a request under its number that is refused")
    func feeds() throws {
        // Field 2 (messages) { 4 (request) { 1 (number): 7, 3 (load) { 1 (feed): "No" } } }
        let bytes: [UInt8] = [0x12, 17, 0x22, 15, 0x09, 7, 0, 0, 0, 0, 0, 0, 0, 0x1A, 4, 0x0A, 2, 0x4E, 0x6F]
        guard case .request(let request) = try codec.decodeClient(bytes).messages.first, case .unreadable(let error) = request.body else {
            Issue.record("\(try codec.decodeClient(bytes))")
            return
        }
        #expect(request.number == RequestNumber(7) && error.what == "a feed's key" && error.code == .invalidData)
    }

    @Test("a topic that is none is named and spoils nothing beside it")
    func topics() throws {
        let messages = try codec.decodeClient(nested([2, 6, 1], "feed/No") + nested([2, 6, 1], "jobs")).messages
        guard case .unreadable(let error) = messages.first else {
            Issue.record("\(messages)")
            return
        }
        #expect(error.what == "the topic \"feed/No\"")
        #expect(messages.dropFirst() == [.snapshot(topic: .jobs)])
    }

    @Test("an item with a value that this version does not know is refused, and on a page it alone is left out")
    func enumeration() throws {
        // Field 3 (job) { 3 (state): 9 }
        let error = #expect(throws: CodecError.self) { try codec.decodeItem([0x1A, 2, 0x18, 9]) }
        #expect(error?.reason == "this version does not know the value 9")
        // Field 4 (messages) { 3 (reply) { 8 (jobs) { 1 (jobs) { 3 (state): 9 }, 1 (jobs) { 3 (state): 4 } } } }
        let page: [UInt8] = [0x22, 12, 0x1A, 10, 0x42, 8, 0x0A, 2, 0x18, 9, 0x0A, 2, 0x18, 4]
        guard case .reply(_, .jobs(let jobs, _, _), _) = try codec.decodeFront(page).messages.first else {
            Issue.record("\(try codec.decodeFront(page))")
            return
        }
        #expect(jobs.map(\.state) == [.succeeded])
    }

    @Test("bytes that are no message are refused in words for people")
    func noMessage() {
        let cases: [([UInt8], String)] = [
            ([0x0A, 0x7F, 1], ": they end in the middle of a field"), ([0xFF, 0xFF, 0xFF], ""),
            ([0x12, 5, 0x0A, 3, 0x32, 1, 0xFF], ": a text in them is not UTF-8"), ([0x07], ""),
        ]
        for (bytes, cause) in cases {
            let error = #expect(throws: CodecError.self) { try codec.decodeClient(bytes) }
            #expect(error?.reason == "these \(bytes.count) bytes are not a protobuf message of that kind\(cause)")
        }
    }

    @Test("a request for a page that breaks a rule is refused under its number")
    func pages() throws {
        let list = ObjectDigest(words: (1, 2, 3, 4))
        func refusal(_ limit: UInt32, readsBytes: Bool = false, token: Int = 0) -> UnreadablePageRequest? {
            var request = PageRequest(number: 9, content: list, limit: limit, token: Array(repeating: 1, count: token))
            request.readsBytes = readsBytes
            do throws(UnreadablePageRequest) {
                #expect(try codec.decodePageRequest(codec.encode(request)) == request)
                return nil
            } catch {
                return error
            }
        }
        for limit: UInt32 in [1, 1_000] { #expect(refusal(limit) == nil) }
        for limit: UInt32 in [0, 524_288] { #expect(refusal(limit, readsBytes: true) == nil) }
        for limit: UInt32 in [0, 1_001, .max] {
            #expect(refusal(limit)?.number == 9)
            #expect(refusal(limit)?.error.description == "a page's limit cannot be read: \(limit) is not in 1 to 1,000 items")
        }
        #expect(refusal(524_289, readsBytes: true)?.error.reason == "524289 is not in 0 to 524,288 bytes")
        #expect(refusal(1, token: 65)?.number == 9)
        // Field 1 (number): 9, field 2 (content) of 31 bytes, and field 3 (order) of none.
        let number: [UInt8] = [0x09, 9, 0, 0, 0, 0, 0, 0, 0]
        for digest in [[0x12, 31] + Array(repeating: UInt8(1), count: 31), [0x12, 32] + Array(repeating: 1, count: 32) + [0x1A, 0]] {
            let error = #expect(throws: UnreadablePageRequest.self) { try codec.decodePageRequest(number + digest + [0x28, 1]) }
            #expect(error?.number == 9 && error?.error.what == "an object's digest")
        }
        for bytes: [UInt8] in [[], [0xFF, 0xFF]] {
            let error = #expect(throws: UnreadablePageRequest.self) { try codec.decodePageRequest(bytes) }
            #expect(error?.number == 0)
        }
    }

    @Test("a kind that this version does not know is passed over by itself, wherever it comes")
    func unknownKinds() throws {
        // Field 2 (messages) { 99: "" }, with the tag 99 << 3 | 2 as a varint.
        #expect(try codec.decodeClient([0x12, 3, 0x9A, 0x06, 0]).messages == [.unknown])
        #expect(try codec.decodeWorker([0x22, 3, 0x9A, 0x06, 0]).messages == [.unknown])
        #expect(try codec.decodeFront([0x22, 3, 0x9A, 0x06, 0] + nested([4, 2], "")).messages == [.unknown, .sessionEnded])
        #expect(try codec.decodeWorkerBound([0x1A, 3, 0x9A, 0x06, 0] + nested([3, 2], "")).messages == [.unknown, .reregister])
        let request = ClientMessage.Request(number: .none, lowestUnanswered: .none, body: .unknown)
        #expect(try codec.decodeClient([0x12, 5, 0x22, 3, 0x9A, 0x06, 0]).messages == [.request(request)])
    }

    @Test("a reply of a kind that this version does not know answers its request all the same")
    func unknownReply() throws {
        // Field 4 (messages) { 3 (reply) { 1 (number): 7, 99: "" } }
        let bytes: [UInt8] = [0x22, 14, 0x1A, 12, 0x09, 7, 0, 0, 0, 0, 0, 0, 0, 0x9A, 0x06, 0]
        guard case .reply(RequestNumber(7), .refused(let failure, .zero), nil) = try codec.decodeFront(bytes).messages.first else {
            Issue.record("\(try codec.decodeFront(bytes))")
            return
        }
        #expect(failure.code == .outcomeUnknown && !failure.retryable)
    }

    @Test("fields that this version does not know are passed over")
    func unknownFields() throws {
        let golden = try Golden("client-submit")
        #expect(Sample.client(try codec.decodeClient(golden.bytes + [0x9A, 0x06, 0])) == Samples.all["client-submit"])
    }

    @Test("sentences that are too long are cut at a whole scalar when they are written, so that their frame is read")
    func cut() throws {
        let report = WorkerMessage.ProgressReport(
            job: JobID(1), lease: LeaseID(1), progress: JobProgress(unit: text(63) + "é", message: text(255) + "é" + text(9)))
        var ended = Samples.ended
        ended.failures[0].value.text = String(repeating: "é", count: 2_049)
        ended.failures[0].value.arguments = [text(1_024), text(1_025)] + Array(repeating: "", count: 40)
        let envelope = WorkerEnvelope(worker: WorkerID(5), messages: [.progress([report]), .ended(ended)])
        let read = try codec.decodeWorker(codec.encode(envelope)).messages
        guard case .progress(let reports) = read[0], case .ended(let shorter) = read[1] else {
            Issue.record("\(read)")
            return
        }
        #expect(reports.map(\.progress.message) == [text(255)] && reports.map(\.progress.unit) == [text(63)])
        #expect(shorter.failures[0].value.text == String(repeating: "é", count: 2_048))
        #expect(shorter.failures[0].value.arguments == [text(1_024), text(1_024)] + Array(repeating: "", count: 30))
    }

    /// A message in a message by these field numbers, `text` in the innermost.
    private func nested(_ numbers: [UInt8], _ text: String) -> [UInt8] {
        nested(numbers, Array(text.utf8))
    }

    private func nested(_ numbers: [UInt8], _ content: [UInt8]) -> [UInt8] {
        numbers.reversed().reduce(content) { inner, number in
            [number << 3 | 2, UInt8(inner.count & 0x7F) | 0x80, UInt8(inner.count >> 7)] + inner
        }
    }

    private func varint(_ value: Int) -> [UInt8] {
        value < 128 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
    }

    /// The request that stands for a submit of the samples that cannot be read.
    private func refused(_ error: CodecError) -> ClientMessage {
        .request(
            ClientMessage.Request(
                number: Samples.submit.number, lowestUnanswered: Samples.submit.lowestUnanswered, body: .unreadable(error)))
    }

    private func request(_ body: RequestBody) -> ClientMessage {
        .request(ClientMessage.Request(number: RequestNumber(1), lowestUnanswered: RequestNumber(1), body: body))
    }

    private func text(_ byteCount: Int) -> String { String(repeating: "x", count: byteCount) }
}

extension ClientEnvelope {
    /// The message between two others that were read as they were sent.
    fileprivate func alone(between other: ClientMessage) -> ClientMessage? {
        messages.count == 3 && messages.first == other && messages.last == other ? messages[1] : nil
    }
}
