//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import GantryFileCache
import GantryModel
import GantryPlatform
import GantryWire
import GantryZMQ
import Synchronization
import TestSupport
import Testing

@testable import FrontService

@Suite("Pages on a disk that does not answer", .timeLimit(.minutes(5)))
struct SlowPageTests {
    private let hung = ObjectDigest(words: (1, 2, 3, 4))
    private let other = ObjectDigest(words: (5, 6, 7, 8))

    /// A client of the page service, for one thread.
    private final class Client {
        private let socket: Socket<Dealer>
        private var poller = Poller()
        private let codec = WireCodec()

        init(_ context: Context, _ endpoint: String) throws {
            socket = try Socket<Dealer>(context)
            try socket.connect(endpoint)
            _ = try poller.add(socket)
        }

        func ask(_ number: UInt64, for object: ObjectDigest) throws {
            _ = try socket.send(codec.encode(PageRequest(number: number, content: object)))
        }

        /// Asks for what breaks a rule, which is answered as it is received: by then all that was asked before has been received.
        func waitUntilReceived() throws {
            _ = try socket.send(codec.encode(PageRequest(number: 99, content: ObjectDigest(words: (1, 2, 3, 4)), limit: 0)))
            #expect(try answer() == 99)
        }

        /// The number of the next answer; nil: none came.
        func answer() throws -> UInt64? {
            _ = try poller.wait(upTo: .seconds(60))
            guard let reply = try socket.receive() else { return nil }
            return try codec.decodePageReply(reply.copyBytes()).number
        }
    }

    /// Counts from any thread.
    private final class Count: Sendable {
        private let count = Mutex(0)

        var value: Int { count.withLock { $0 } }

        func add() { count.withLock { $0 += 1 } }
    }

    @Test(
        "pages of one client that hang delay no other client's, take three threads however often they are repeated, and are answered once")
    func hanging() async throws {
        let (folder, gate, context, begun) = (try TemporaryFolder(), Gate(), try Context(), Count())
        let cache = try FileCache(root: folder.path + "/objects")
        let service = try PageService(onSuspect: { _ in }, onDamage: { _ in }, onMalformed: {}, onFailure: { _ in })
        defer { service.stop(atMost: .seconds(60)) }
        let started = try service.start(context: context, endpoint: "inproc://slow", cache: cache, codec: WireCodec()) {
            [hung] request, reader in
            if request.content == hung {
                begun.add()
                gate.pass()
            }
            return reader.page(request)
        }
        #expect(started == .success("inproc://slow"))
        try await onOwnThread { [self] in
            let (slow, good) = (try Client(context, "inproc://slow"), try Client(context, "inproc://slow"))
            defer { gate.open() }
            for _ in 0..<3 {
                for number in UInt64(1)...10 { try slow.ask(number, for: hung) }
                try slow.waitUntilReceived()
                for number in UInt64(1)...5 {
                    try good.ask(number, for: other)
                    #expect(try good.answer() == number)
                }
            }
            #expect(begun.value <= PagesUnderWay.ownerLimit)
            gate.open()
            var answered: Set<UInt64> = []
            for _ in 0..<10 { answered.insert(try #require(try slow.answer())) }
            #expect(answered == Set(1...10))
            try slow.ask(11, for: other)
            #expect(try slow.answer() == 11, "a repeat was answered by itself")
        }
        #expect(begun.value == 10)
    }

    @Test("pages that hang on many connections leave a thread to a client that has none, also where nothing tells who they are")
    func manyConnections() async throws {
        let (folder, gate, context, begun) = (try TemporaryFolder(), Gate(), try Context(), MonotonicSemaphore())
        let cache = try FileCache(root: folder.path + "/objects")
        let service = try PageService(onSuspect: { _ in }, onDamage: { _ in }, onMalformed: {}, onFailure: { _ in })
        defer { service.stop(atMost: .seconds(60)) }
        let started = try service.start(context: context, endpoint: "inproc://many", cache: cache, codec: WireCodec()) {
            [hung] request, reader in
            if request.content == hung {
                begun.signal()
                gate.pass()
            }
            return reader.page(request)
        }
        #expect(started == .success("inproc://many"))
        try await onOwnThread { [hung, other] in
            let slow = try (0..<11).map { _ in try Client(context, "inproc://many") }
            defer { gate.open() }
            for client in slow {
                for number in UInt64(1)...3 { try client.ask(number, for: hung) }
            }
            // All but the reserve, of which each of them that has none may take one.
            for _ in 0..<(PagesUnderWay.limit - PagesUnderWay.reserve) { #expect(begun.wait(upTo: .seconds(60))) }
            let good = try Client(context, "inproc://many")
            for number in UInt64(1)...5 {
                try good.ask(number, for: other)
                #expect(try good.answer() == number)
            }
        }
    }

    @Test("over ipc the pages of one process are counted together, however many connections it has")
    func oneProcess() async throws {
        let (folder, gate, context) = (try TemporaryFolder(), Gate(), try Context())
        let (cache, early, opened) = (try FileCache(root: folder.path + "/objects"), Count(), Count())
        let endpoint = "ipc://\(folder.path)/pages"
        let service = try PageService(onSuspect: { _ in }, onDamage: { _ in }, onMalformed: {}, onFailure: { _ in })
        defer { service.stop(atMost: .seconds(60)) }
        let started = try service.start(context: context, endpoint: endpoint, cache: cache, codec: WireCodec()) {
            [hung] request, reader in
            if request.content == hung { gate.pass() } else if opened.value == 0 { early.add() }
            return reader.page(request)
        }
        #expect(started == .success(endpoint))
        try await onOwnThread { [hung, other] in
            let (slow, good) = (try Client(context, endpoint), try Client(context, endpoint))
            defer { gate.open() }
            for number in UInt64(1)...3 { try slow.ask(number, for: hung) }
            try slow.waitUntilReceived()
            try good.ask(1, for: other)
            // By the second answer reads have been begun for all that had come with the first.
            for _ in 0..<2 { try good.waitUntilReceived() }
            opened.add()
            gate.open()
            #expect(try good.answer() == 1)
        }
        #expect(early.value == 0, "a fourth page of one process was read beside three")
    }

    @Test("the end of the service leaves a page behind that hangs")
    func end() async throws {
        let (folder, gate, context) = (try TemporaryFolder(), Gate(), try Context())
        let cache = try FileCache(root: folder.path + "/objects")
        let service = try PageService(onSuspect: { _ in }, onDamage: { _ in }, onMalformed: {}, onFailure: { _ in })
        let started = try service.start(context: context, endpoint: "inproc://end", cache: cache, codec: WireCodec()) { request, reader in
            gate.pass()
            return reader.page(request)
        }
        #expect(started == .success("inproc://end"))
        try await onOwnThread { [hung] in
            let client = try Client(context, "inproc://end")
            try client.ask(1, for: hung)
        }
        await gate.arrived(1)
        try await onOwnThread { service.stop(atMost: .milliseconds(1)) }
        gate.open()
    }
}
