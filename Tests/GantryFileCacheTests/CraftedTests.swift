//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import Testing

@testable import GantryFileCache

@Suite("Objects that were made to deceive")
struct CraftedTests {
    /// Adds a list whose parts are given as bytes: its name is right, what it says need not be.
    private func list(_ folder: CacheFolder, content: [UInt8], offsets: [UInt64], ids: [(UInt64, UInt32)]) throws -> ObjectDigest {
        let object = try ObjectWriter(folder: folder.cache.folder, durability: .cached)
        try object.append(content[...])
        var rest: [UInt8] = []
        for offset in offsets { LittleEndian.append(offset, to: &rest) }
        for (sum, position) in ids { IDEntry(sum: sum, position: position).append(to: &rest) }
        try object.append(rest[...])
        return try object.finish(ObjectHead(kind: .list, contentByteCount: UInt64(content.count), itemCount: UInt64(ids.count)))
    }

    private func order(_ folder: CacheFolder, of list: ObjectDigest, _ rows: [(UInt32, UInt64, Int)]) throws -> ObjectDigest {
        var writer = try OrderWriter(folder: folder.cache.folder, list: list, durability: .cached, WorkMeter())
        for (position, offset, byteCount) in rows {
            let place = try #require(OrderEntry.Place(offset: offset, byteCount: byteCount))
            try writer.append(position: position, place: place.packed)
        }
        return try writer.finish().digest
    }

    private func error(_ body: () throws -> Void) -> FileCacheError? {
        do {
            try body()
            return nil
        } catch { return error as? FileCacheError }
    }

    @Test("an item that says it is larger than any can be is damage, before room is made for it")
    func largeItem() throws {
        let folder = try CacheFolder()
        let size = 20 << 20
        let digest = try list(folder, content: Array(repeating: 0, count: size), offsets: [0, UInt64(size)], ids: [(1, 0)])
        let reader = try folder.cache.openList(digest)
        let found = error { _ = try reader.page(offset: 0, limit: 1) }
        #expect(found?.code == .damaged && found?.context.contains("one item has \(size) bytes") == true)
        #expect(error { _ = try reader.item(at: 0) } == found)
        #expect(error { _ = try folder.cache.sort(reader, by: SortOrder(field: "title")) } == found)
    }

    @Test("an object over the bounds of the cache is damage when it is opened, before room is made for its sums")
    func largeObject() throws {
        let folder = try CacheFolder()
        let digest = try folder.list(items(0..<100)).digest
        let bytes = try folder.cache.add(Array(repeating: 7, count: 5_000), durability: .cached).digest
        let small = try FileCache(root: folder.root, limits: CacheLimits(objectByteCount: 4_000))
        #expect(error { _ = try small.openList(digest) }?.context.contains("over the bounds") == true)
        #expect(error { _ = try small.readBytes(bytes, limit: .max) }?.code == .damaged)
        let few = try FileCache(root: folder.root, limits: CacheLimits(itemCount: 99))
        #expect(error { _ = try few.openList(digest) }?.code == .damaged)
    }

    @Test("a row of an order that names no item of its list is the order's fault, not the list's", arguments: [UInt64(3), 1 << 30])
    func wrongOrder(offset: UInt64) throws {
        let folder = try CacheFolder()
        let digest = try folder.list(items(0..<10)).digest
        let order = try order(folder, of: digest, [(0, offset, 40)])
        let reader = try folder.cache.openOrder(order)
        let found = error { _ = try folder.cache.openList(digest).page(order: reader, offset: 0, limit: 10) }
        #expect(found?.code == .damaged)
        #expect(found?.digest == order)
    }

    @Test("offsets that grow nowhere near their items are damage when an item is replaced, and end nothing")
    func wildOffsets() throws {
        let folder = try CacheFolder()
        var content: [UInt8] = []
        try ItemEncoder.append(ListItem(id: "a", title: String(repeating: "x", count: 200)), limits: CacheLimits(), to: &content)
        let count = 16 * 1_024 + 2
        var offsets = [UInt64](repeating: UInt64(content.count), count: count + 1)
        offsets[0] = 0
        // In the second part that is read, behind one whose offsets are in order.
        for index in 16 * 1_024 + 1...count { offsets[index] = 5 }
        let sum = ObjectName.idSums(Array("a".utf8)[...]).index
        let ids = [(sum, UInt32(0))] + (1..<count).map { (UInt64.max, UInt32($0)) }
        let digest = try list(folder, content: content, offsets: offsets, ids: ids)
        let found = error { _ = try folder.cache.update(ListItem(id: "a", title: ""), in: digest) }
        #expect(found?.code == .damaged)
    }
}
