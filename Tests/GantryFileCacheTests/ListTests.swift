//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryFileCache
import GantryModel
import Testing

@Suite("Lists")
struct ListTests {
    @Test("a list gives back every item at its position, in pages of any place and size")
    func roundTrip() throws {
        let folder = try CacheFolder()
        let written = items(0..<3_000)
        let reference = try folder.list(written)
        let list = try folder.cache.openList(reference.digest)
        #expect(list.count == 3_000 && reference.itemCount == 3_000 && list.reference == reference)
        #expect(try list.page(offset: 0, limit: 3_000) == written)
        for offset in [0, 1, 49, 1_234, 2_990] {
            #expect(try list.page(offset: offset, limit: 50) == Array(written[offset..<min(offset + 50, 3_000)]))
            #expect(try list.item(at: offset) == written[offset])
        }
        #expect(try list.page(offset: 3_000, limit: 50).isEmpty)
        #expect(try list.page(offset: -1, limit: 50).isEmpty)
        #expect(throws: FileCacheError.self) { try list.item(at: 3_000) }
    }

    @Test("an empty list is an object like any other")
    func empty() throws {
        let folder = try CacheFolder()
        let reference = try folder.list([])
        let list = try folder.cache.openList(reference.digest)
        #expect(list.count == 0)
        #expect(try list.page(offset: 0, limit: 50).isEmpty)
        #expect(try list.index(ofID: "a") == nil)
        #expect(try folder.cache.sort(list, by: SortOrder(field: "title")).itemCount == 0)
    }

    @Test("the same items give the same name, another item, order or kind of bytes another one")
    func names() throws {
        let folder = try CacheFolder()
        let first = try folder.list(items(0..<100)).digest
        #expect(try folder.list(items(0..<100), durability: .persistent).digest == first)
        #expect(try folder.list(items(0..<101)).digest != first)
        #expect(try folder.list(items(0..<100).reversed()).digest != first)
        #expect(try folder.cache.add([], durability: .cached).digest != folder.list([]).digest)
    }

    @Test("an id is found at its position, an absent one is not")
    func ids() throws {
        let folder = try CacheFolder()
        let list = try folder.cache.openList(folder.list(items(0..<5_000)).digest)
        for number in [0, 1, 2_500, 4_999] { #expect(try list.index(ofID: "i\(number)") == number) }
        #expect(try list.index(ofID: "i5000") == nil)
        #expect(try list.index(ofID: "") == nil)
    }

    @Test("a duplicate id is refused and both positions are named")
    func duplicates() throws {
        let folder = try CacheFolder()
        let writer = try folder.cache.makeListWriter(durability: .cached)
        for item in items(0..<300) + items(17..<20) { try writer.append(item) }
        let error = #expect(throws: FileCacheError.self) { try writer.finish() }
        #expect(error?.code == .duplicateID)
        #expect(error?.positions == [17, 300])
    }

    @Test("an item that cannot be stored is refused by name")
    func invalid() throws {
        let folder = try CacheFolder(limits: CacheLimits(itemByteCount: 2_000, itemCount: 3, objectByteCount: 4_000))
        func append(_ items: [ListItem]) -> FileCacheError.Code? {
            code { _ = try folder.list(items) }
        }
        #expect(append([ListItem(id: "", title: "x")]) == .invalidItem)
        #expect(append([ListItem(id: "a", title: "x", fields: [.init(name: "n", value: .number(.nan))])]) == .invalidItem)
        #expect(append([ListItem(id: "a", title: "x", fields: [.init(name: "", value: .bool(true))])]) == .invalidItem)
        #expect(append([ListItem(id: String(repeating: "a", count: 1_025), title: "x")]) == .tooLarge)
        #expect(append([ListItem(id: "a", title: String(repeating: "x", count: 2_001))]) == .tooLarge)
        #expect(append(["a", "b", "c", "d"].map { ListItem(id: $0, title: "") }) == .tooLarge)
        #expect(append(["a", "b", "c"].map { ListItem(id: $0, title: String(repeating: "x", count: 1_900)) }) == .tooLarge)
        #expect(try folder.entries().filter { !$0.hasPrefix(".") }.isEmpty, "nothing of a refused list stays")
    }

    @Test("every kind of value, hard texts and origins come back as they went in")
    func values() throws {
        let folder = try CacheFolder()
        let hard = ["", "\0", "a\0b", "ÄÖÜ", "e\u{301}", "日本語", "👩‍👩‍👧‍👦", String(repeating: "long ", count: 40_000)]
        let written = hard.enumerated().map { number, text in
            ListItem(
                id: "\(number)", title: text, createdAt: number % 2 == 0 ? nil : WallTime(milliseconds: -62_135_596_800_000),
                origin: ItemOrigin.allCases[number % 3],
                fields: [
                    .init(name: "text", value: .text(text)), .init(name: "b", value: .bool(true)), .init(name: "n", value: .number(-0.5)),
                    .init(name: "d", value: .date(WallTime(milliseconds: .max))),
                ])
        }
        let list = try folder.cache.openList(folder.list(written).digest)
        let read = try list.page(offset: 0, limit: 100)
        #expect(read == written)
        #expect(read.map { Array($0.title.utf8) } == hard.map { Array($0.utf8) }, "texts are not normalized on their way")
    }

    @Test("plain bytes come back whole and in parts")
    func bytes() throws {
        let folder = try CacheFolder()
        for count in [0, 1, 2_047, 2_048, 2_049, 65_535, 65_536, 65_537, 300_000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let reference = try folder.cache.add(bytes, durability: .cached)
            #expect(reference.byteCount == UInt64(count) && reference.itemCount == 0)
            #expect(try folder.cache.readBytes(reference.digest, limit: count) == bytes)
            #expect(
                try folder.cache.readPart(reference.digest, offset: 1_000, count: 70_000).bytes
                    == Array(bytes.dropFirst(1_000).prefix(70_000)))
            #expect(try folder.cache.verify(reference.digest) == reference)
            if count > 0 { #expect(code { _ = try folder.cache.readBytes(reference.digest, limit: count - 1) } == .tooLarge) }
        }
    }

    @Test("an object of another kind and one that does not exist are told apart")
    func kinds() throws {
        let folder = try CacheFolder()
        let bytes = try folder.cache.add([1, 2, 3], durability: .cached).digest
        #expect(code { _ = try folder.cache.openList(bytes) } == .mismatch)
        #expect(code { _ = try folder.cache.openOrder(bytes) } == .mismatch)
        #expect(code { _ = try folder.cache.openList(ObjectDigest(words: (1, 2, 3, 4))) } == .notFound)
    }
}
