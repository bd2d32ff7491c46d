//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFileCache
import GantryModel
import Testing

@Suite("Editable lists")
struct EditingTests {
    private let now = WallTime(milliseconds: 77)

    private func read(_ folder: CacheFolder, _ reference: ObjectReference) throws -> [ListItem] {
        try folder.cache.openList(reference.digest).page(offset: 0, limit: 10_000)
    }

    @Test("a created item comes last, of origin hand; a second run gives the same list")
    func create() throws {
        let folder = try CacheFolder()
        let base = try folder.list(items(0..<200)).digest
        let made = ListItem(id: "local-5", title: "Mine", createdAt: now)
        let first = try folder.cache.create(made, in: base)
        #expect(try folder.cache.create(made, in: base) == first)
        #expect(try folder.cache.create(ListItem(id: "local-5", title: "Other"), in: first.digest) == first)
        let list = try read(folder, first)
        #expect(list.count == 201 && list[200].origin == .manual && list[200].title == "Mine")
        #expect(Array(list[..<200]) == items(0..<200))
        #expect(try folder.cache.create(made, in: nil).itemCount == 1)
    }

    @Test("an update replaces one item at its place and marks it as edited")
    func update() throws {
        let folder = try CacheFolder()
        let base = try folder.cache.create(ListItem(id: "h", title: "Hand"), in: folder.list(items(0..<20)).digest).digest
        let edited = try folder.cache.update(ListItem(id: "i3", title: "New"), in: base)
        #expect(try folder.cache.update(ListItem(id: "i3", title: "New"), in: base) == edited)
        let list = try read(folder, edited)
        #expect(list[3].title == "New" && list[3].origin == .edited && list[3].createdAt == WallTime(milliseconds: 3_000))
        #expect(list[4] == items(4..<5)[0] && list.count == 21)
        #expect(try read(folder, folder.cache.update(ListItem(id: "h", title: "x"), in: base))[20].origin == .manual)
        #expect(code { _ = try folder.cache.update(ListItem(id: "absent", title: ""), in: base) } == .unknownItem)
    }

    @Test("a merge keeps what the hand made or changed, takes the rest from the source, and is the same when repeated")
    func merge() throws {
        let folder = try CacheFolder()
        func source(_ ids: [String], _ title: String) throws -> ObjectDigest {
            try folder.list(ids.map { ListItem(id: $0, title: title) }).digest
        }
        var list = try folder.cache.merge(source: source(["a", "b", "c", "d"], "old"), into: nil, firstSeen: now)
        list = try folder.cache.create(ListItem(id: "manual", title: "mine"), in: list.digest)
        list = try folder.cache.update(ListItem(id: "b", title: "by hand"), in: list.digest)
        list = try folder.cache.update(ListItem(id: "c", title: "by hand"), in: list.digest)
        let later = WallTime(milliseconds: 99)
        let next = try source(["e", "b", "a"], "new")
        let merged = try folder.cache.merge(source: next, into: list.digest, firstSeen: later)
        let result = try read(folder, merged)
        #expect(result.map(\.id) == ["e", "b", "a", "c", "manual"])
        #expect(result.map(\.title) == ["new", "by hand", "new", "by hand", "mine"])
        #expect(result.map(\.origin) == [.source, .edited, .source, .edited, .manual])
        #expect(result.map(\.createdAt) == [later, now, now, now, nil])
        #expect(try folder.cache.merge(source: next, into: list.digest, firstSeen: later) == merged)
        #expect(try folder.cache.merge(source: next, into: merged.digest, firstSeen: WallTime(milliseconds: 1_000)) == merged)
    }
}
