//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFileCache
import GantryModel
import Testing

@Suite("Items as JSON")
struct JSONBoundTests {
    /// What a client's socket takes in one frame.
    private let frameByteCount = 1_114_112

    private func item(escaped count: Int, plain: Int = 0) -> ListItem {
        ListItem(id: "a", title: String(repeating: "\u{1}", count: count) + String(repeating: "x", count: plain))
    }

    @Test("an item whose text would not fit into a frame once it is escaped is refused when it is added")
    func refused() throws {
        let folder = try CacheFolder()
        let error = #expect(throws: FileCacheError.self) { try folder.list([item(escaped: 250_000)]) }
        #expect(error?.code == .tooLarge)
        #expect(error?.context.contains("as JSON it has 1500") == true)
    }

    @Test("the largest item that is taken fits into a frame, with all that it gets later")
    func fits() throws {
        let folder = try CacheFolder()
        let limit = CacheLimits().itemJSONByteCount
        let overhead = ItemJSON.encode(ListItem(id: "a", title: "")).count + 64
        let escaped = (limit - overhead) / 6
        let plain = (limit - overhead) % 6
        let largest = item(escaped: escaped, plain: plain)
        #expect(code { _ = try folder.list([item(escaped: escaped, plain: plain + 1)]) } == .tooLarge)
        let list = try folder.list([largest]).digest
        let merged = try folder.cache.merge(source: list, into: nil, firstSeen: WallTime(milliseconds: 1_700_000_000_000)).digest
        var edited = try folder.cache.openList(merged).item(at: 0)
        #expect(edited.createdAt != nil)
        edited.origin = .edited
        #expect(ItemJSON.encode(edited).count <= limit)
        #expect(limit + 65_536 <= frameByteCount)
    }
}
