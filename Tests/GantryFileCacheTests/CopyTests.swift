//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFileCache
import GantryModel
import Testing

@Suite("Lists made from lists")
struct CopyTests {
    private let now = WallTime(milliseconds: 77)

    /// What the edits must give: the same items written one by one.
    private func scratch(_ items: [ListItem], _ folder: CacheFolder) throws -> ObjectReference {
        try folder.list(items, durability: .persistent)
    }

    @Test("a created item gives the object that writing all items anew gives", arguments: [0, 1, 899, 900, 3_000])
    func create(count: Int) throws {
        let folder = try CacheFolder()
        let base = try folder.list(items(0..<count)).digest
        let made = try folder.cache.create(ListItem(id: "local-\(count)", title: "Mine", createdAt: now), in: base)
        let expected = try scratch(
            items(0..<count) + [ListItem(id: "local-\(count)", title: "Mine", createdAt: now, origin: .manual)], folder)
        #expect(made == expected)
        #expect(try folder.cache.verify(made.digest) == expected)
    }

    @Test(
        "an updated item gives the object that writing all items anew gives, shorter, longer or as long as it was",
        arguments: [0, 1, 1_499, 2_998, 2_999], ["", "Item 1499", String(repeating: "x", count: 70_000)])
    func update(position: Int, title: String) throws {
        let folder = try CacheFolder()
        var all = items(0..<3_000)
        let base = try folder.list(all).digest
        let made = try folder.cache.update(ListItem(id: "i\(position)", title: title), in: base)
        all[position] = ListItem(id: "i\(position)", title: title, createdAt: all[position].createdAt, origin: .edited)
        let expected = try scratch(all, folder)
        #expect(made == expected)
        #expect(try folder.cache.verify(made.digest) == expected)
    }

    @Test("a merge gives the object that writing the merged items anew gives")
    func merge() throws {
        let folder = try CacheFolder()
        // The source lost every fifth item, has them in another order, and half of them undated.
        let kept = items(0..<2_400).map { item in
            var item = item
            let number = Int(item.id.dropFirst()) ?? 0
            item.origin = number % 7 == 0 ? .edited : number % 11 == 0 ? .manual : .source
            if number % 3 == 0 { item.createdAt = nil }
            return item
        }
        let fetched = (0..<3_000).reversed().filter { $0 % 5 != 0 }.map { number in
            ListItem(id: "i\(number)", title: "New \(number)", createdAt: number % 2 == 0 ? nil : WallTime(milliseconds: 5))
        }
        let merged = try folder.cache.merge(
            source: folder.list(fetched).digest, into: folder.list(kept).digest, firstSeen: now)
        let known = Dictionary(uniqueKeysWithValues: kept.map { ($0.id, $0) })
        let taken = Set(fetched.map(\.id))
        let expected =
            fetched.map { item in
                if let old = known[item.id], old.origin != .source { return old }
                var item = item
                item.createdAt = item.createdAt ?? known[item.id]?.createdAt ?? now
                return item
            } + kept.filter { $0.origin != .source && !taken.contains($0.id) }
        #expect(try merged == scratch(expected, folder))
        #expect(try folder.cache.verify(merged.digest) == merged)
        #expect(try folder.cache.openList(merged.digest).index(ofID: "i35") == expected.firstIndex { $0.id == "i35" })
    }

    @Test("a damaged block of the list that is changed is found, and is not copied")
    func damaged() throws {
        let folder = try CacheFolder()
        let base = try folder.list(items(0..<3_000)).digest
        try folder.change(base) { $0[70_000] ^= 1 }
        let error = code { _ = try folder.cache.create(ListItem(id: "x", title: ""), in: base) }
        #expect(error == .damaged)
        #expect(code { _ = try folder.cache.update(ListItem(id: "i2", title: ""), in: base) } == .damaged)
    }

    @Test("the bounds hold for a list that grows by an item")
    func bounds() throws {
        let folder = try CacheFolder(limits: CacheLimits(itemCount: 3, objectByteCount: 400))
        let base = try folder.list(items(0..<3)).digest
        #expect(code { _ = try folder.cache.create(ListItem(id: "x", title: ""), in: base) } == .tooLarge)
        let text = String(repeating: "x", count: 400)
        #expect(code { _ = try folder.cache.update(ListItem(id: "i2", title: text), in: base) } == .tooLarge)
    }
}
