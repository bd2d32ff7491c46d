//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryFileCache
import GantryModel
import TestSupport
import Testing

@testable import FrontService

@Suite("The page reader")
struct PageReaderTests {
    private let temporary: TemporaryFolder
    /// Of the objects; not yet there.
    private var path: String { temporary.path + "/objects" }

    init() throws { temporary = try TemporaryFolder() }

    private func list(_ cache: FileCache, _ count: Int = 2_000) throws -> ObjectDigest {
        let writer = try cache.makeListWriter(durability: .cached)
        for number in 0..<count { try writer.append(ListItem(id: "i\(number)", title: "Item \(number)")) }
        return try writer.finish().digest
    }

    private func change(_ digest: ObjectDigest, at offset: Int) throws {
        let name = digest.description
        let file = path + "/" + name.prefix(2) + "/" + name.dropFirst(2)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        bytes[offset] ^= 1
        // In place, so that whoever has it open sees it too.
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    private func request(_ content: ObjectDigest, order: ObjectDigest? = nil) -> PageRequest {
        var request = PageRequest(number: 1, content: content, offset: 0, limit: 10)
        request.order = order
        return request
    }

    @Test("a damaged block is suspected once for each page that meets it, and the list is read again when it is whole again")
    func damaged() throws {
        let cache = try FileCache(root: path)
        let digest = try list(cache)
        let reader = PageReader(cache: cache)
        #expect(reader.page(request(digest)).items.count == 10)
        #expect(reader.takeSuspects() == [])
        try change(digest, at: 1_100)
        #expect(reader.page(request(digest)).failure?.code == .storageFailed)
        #expect(reader.takeSuspects() == [digest])
        #expect(reader.takeSuspects() == [])
        #expect(try list(cache) == digest)
        #expect(reader.page(request(digest)).items.count == 10)
        #expect(reader.takeSuspects() == [])
    }

    @Test("an order that cannot be read is named, not the list; a list that is gone is named too")
    func order() throws {
        let cache = try FileCache(root: path)
        let digest = try list(cache)
        let order = try cache.sort(cache.openList(digest), by: SortOrder(field: "title")).digest
        try change(order, at: 1_100)
        let reader = PageReader(cache: cache)
        #expect(reader.page(request(digest, order: order)).failure != nil)
        #expect(reader.takeSuspects() == [order])
        let gone = ObjectDigest(words: (1, 2, 3, 4))
        #expect(reader.page(request(gone)).failure?.code == .unknownItem)
        #expect(reader.takeSuspects() == [gone])
    }

    @Test("a list that was replaced while it was open is read by another handle before anybody suspects it")
    func replaced() throws {
        let cache = try FileCache(root: path)
        let digest = try list(cache)
        let reader = PageReader(cache: cache)
        #expect(reader.page(request(digest)).items.count == 10)
        try change(digest, at: 1_100)
        // Another file of the same name: the open handle still reads the damaged one.
        #expect(try list(cache) == digest)
        #expect(reader.page(request(digest)).items.count == 10)
        #expect(reader.takeSuspects() == [])
    }

    @Test("an item that no frame holds is told by name and place, and the reader can go on behind it")
    func largeItem() throws {
        let limits = CacheLimits(itemJSONByteCount: .max)
        let cache = try FileCache(root: path, limits: limits)
        let writer = try cache.makeListWriter(durability: .cached)
        try writer.append(ListItem(id: "a", title: "first"))
        try writer.append(ListItem(id: "b", title: String(repeating: "\u{1}", count: 250_000)))
        try writer.append(ListItem(id: "c", title: "last"))
        let digest = try writer.finish().digest
        let reader = PageReader(cache: cache)
        var request = request(digest)
        #expect(reader.page(request).items.count == 1)
        request.offset = 1
        let failure = try #require(reader.page(request).failure)
        #expect(failure.code == .tooLarge)
        #expect(!failure.retryable)
        #expect(failure.arguments == ["item", "b", "next", "2"])
        request.offset = 2
        #expect(reader.page(request).items.map { String(decoding: $0, as: UTF8.self) } == [#"{"id":"c","title":"last"}"#])
        #expect(reader.takeSuspects() == [])
    }

    @Test("a stored detail is read in parts that a frame holds, and says how large it is in all")
    func storedDetail() throws {
        let cache = try FileCache(root: path)
        let text = Array(String(repeating: "detail ", count: 100_000).utf8)
        let digest = try cache.add(text, durability: .cached).digest
        let reader = PageReader(cache: cache)
        var request = request(digest)
        request.readsBytes = true
        request.limit = 1 << 19
        var read: [UInt8] = []
        while read.count < text.count {
            request.offset = UInt64(read.count)
            let reply = reader.page(request)
            #expect(reply.failure == nil && reply.itemCount == UInt64(text.count))
            #expect(!reply.data.isEmpty && reply.data.count <= 1 << 19)
            guard !reply.data.isEmpty else { break }
            read += reply.data
        }
        #expect(read == text)
        request.readsBytes = false
        #expect(reader.page(request).failure?.code == .invalidData, "a detail is no list")
        #expect(reader.takeSuspects() == [])
    }

    @Test("what is asked for wrongly is invalid and not worth a repeat, what is gone is unknown, and only the disk's faults are storage")
    func faults() throws {
        let cache = try FileCache(root: path)
        let (one, two) = (try list(cache), try list(cache, 10))
        let order = try cache.sort(cache.openList(one), by: SortOrder(field: "title")).digest
        let reader = PageReader(cache: cache)
        var bytes = request(one)
        bytes.readsBytes = true
        let gone = request(ObjectDigest(words: (1, 2, 3, 4)))
        let faults = [request(two, order: order), request(one, order: two), request(order), bytes, gone].map { reader.page($0).failure }
        #expect(faults.map { $0?.code } == [.invalidData, .invalidData, .invalidData, .invalidData, .unknownItem])
        #expect(faults.map { $0?.retryable } == [false, false, false, false, true])
        try change(one, at: 1_100)
        let damaged = reader.page(request(one)).failure
        #expect(damaged?.code == .storageFailed && damaged?.retryable == true)
        for text in (faults + [damaged]).map({ $0?.text ?? "" }) {
            #expect(text.hasPrefix("object ") && !text.contains(path), "\(text)")
            for word in ["mismatch", "notFound", "damaged", "kind", "objects folder"] { #expect(!text.contains(word), "\(text)") }
        }
    }

    @Test("while the objects folder is away the page says so, and where it has to be put back; nobody is suspected")
    func away() throws {
        let (files, old) = (FileManager.default, path + "-old")
        let cache = try FileCache(root: path)
        let digest = try list(cache)
        let reader = PageReader(cache: cache)
        try files.moveItem(atPath: path, toPath: old)
        let gone = try #require(reader.page(request(digest)).failure)
        #expect(gone.code == .storageFailed && gone.retryable)
        #expect(gone.text.hasPrefix("object \(digest) cannot be read now: the objects folder \(path) is away: put it back"), "\(gone.text)")
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        let empty = try #require(reader.page(request(digest)).failure)
        #expect(empty.text.contains("what is at \(path) is not the objects folder that was there, it has no .id"), "\(empty.text)")
        try files.removeItem(atPath: path)
        try files.moveItem(atPath: old, toPath: path)
        #expect(reader.page(request(digest)).items.count == 10)
        #expect(reader.takeSuspects() == [])
    }
}
