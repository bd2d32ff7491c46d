//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FileCache
import Foundation
import Model
import Testing

@testable import FrontService

@Suite("The page reader")
struct PageReaderTests {
    private let path = NSTemporaryDirectory() + "gantry-pages-" + UUID().uuidString

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

    @Test("a damaged block is told once for each page that meets it, and the list is read again when it is whole again")
    func damaged() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let cache = try FileCache(root: path)
        let digest = try list(cache)
        var reader = PageReader(cache: cache)
        #expect(reader.page(request(digest)).items.count == 10)
        #expect(reader.takeDamaged() == [])
        try change(digest, at: 1_100)
        #expect(reader.page(request(digest)).failure?.code == .storageFailed)
        #expect(reader.takeDamaged() == [digest])
        #expect(reader.takeDamaged() == [])
        #expect(try list(cache) == digest)
        #expect(reader.page(request(digest)).items.count == 10)
        #expect(reader.takeDamaged() == [])
    }

    @Test("an order that cannot be read is named, not the list; a list that is gone is named too")
    func order() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let cache = try FileCache(root: path)
        let digest = try list(cache)
        let order = try cache.sort(cache.openList(digest), by: SortOrder(field: "title")).digest
        try change(order, at: 1_100)
        var reader = PageReader(cache: cache)
        #expect(reader.page(request(digest, order: order)).failure != nil)
        #expect(reader.takeDamaged() == [order])
        let gone = ObjectDigest(words: (1, 2, 3, 4))
        #expect(reader.page(request(gone)).failure?.code == .unknownItem)
        #expect(reader.takeDamaged() == [gone])
    }
}
