//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryFileCache
import GantryModel
import GantryWire
import GantryZMQ
import Synchronization
import TestSupport
import Testing

@testable import FrontService

@Suite("The page service's answers", .timeLimit(.minutes(5)))
struct PageServiceTests {
    private let codec = WireCodec()

    /// The answers to so many frames, in order.
    private func answers(to frames: [[UInt8]], from context: Context, _ endpoint: String) throws -> [PageReply] {
        let socket = try Socket<Dealer>(context)
        try socket.connect(endpoint)
        var poller = Poller()
        _ = try poller.add(socket)
        var replies: [PageReply] = []
        for frame in frames {
            _ = try socket.send(frame)
            _ = try poller.wait(upTo: .seconds(60))
            guard let answer = try socket.receive() else { continue }
            replies.append(try codec.decodePageReply(answer.copyBytes()))
        }
        return replies
    }

    @Test("a request that breaks a rule is answered under its number; one that has none that can be read under 0, and counted")
    func broken() async throws {
        let folder = try TemporaryFolder()
        let cache = try FileCache(root: folder.path + "/objects")
        let counted = Mutex(0)
        let counter = { @Sendable in counted.withLock { $0 += 1 } }
        let service = try PageService(onSuspect: { _ in }, onDamage: { _ in }, onMalformed: counter, onFailure: { _ in })
        let context = try Context()
        defer { service.stop(atMost: .seconds(60)) }
        #expect(
            try service.start(context: context, endpoint: "inproc://pages", cache: cache, codec: codec) == .success("inproc://pages"))
        let none = PageRequest(number: 5, content: ObjectDigest(words: (1, 2, 3, 4)), limit: 0)
        let frames: [[UInt8]] = [
            codec.encode(none), [0x09, 6, 0, 0, 0, 0, 0, 0, 0, 0x28, 1], [0xFF, 0xFF], [],
            codec.encode(PageRequest(number: 7, content: ObjectDigest(words: (1, 2, 3, 4)))),
        ]
        let replies = try await onOwnThread { [self] in try answers(to: frames, from: context, "inproc://pages") }
        #expect(replies.map(\.number) == [5, 6, 0, 0, 7])
        #expect(replies.map { $0.failure?.code } == [.invalidData, .invalidData, .invalidData, .invalidData, .unknownItem])
        #expect(counted.withLock { $0 } == 2)
    }

    @Test("what a user's list is read from cannot be read now while its file is missing; anything else that is missing has been replaced")
    func missing() async throws {
        let folder = try TemporaryFolder()
        let cache = try FileCache(root: folder.path + "/objects")
        let service = try PageService(onSuspect: { _ in }, onDamage: { _ in }, onMalformed: {}, onFailure: { _ in })
        let context = try Context()
        defer { service.stop(atMost: .seconds(60)) }
        #expect(
            try service.start(context: context, endpoint: "inproc://lost", cache: cache, codec: codec) == .success("inproc://lost"))
        let (kept, cached) = (ObjectDigest(words: (1, 2, 3, 4)), ObjectDigest(words: (5, 6, 7, 8)))
        service.inspect(kept, isPersistent: true)
        service.inspect(cached, isPersistent: false)
        let frames = [kept, cached].enumerated().map { codec.encode(PageRequest(number: UInt64($0 + 1), content: $1)) }
        let replies = try await onOwnThread { [self] in try answers(to: frames, from: context, "inproc://lost") }
        #expect(replies.map { $0.failure?.code } == [.storageFailed, .unknownItem])
        #expect(replies.first?.failure?.text.contains("its file is missing: put it back and ask again; after 10 minutes") == true)
    }
}
