//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFileCache
import GantryModel
import TestSupport
import Testing

@Suite("Sort orders")
struct SortTests {
    private func ids(_ items: [ListItem], _ order: SortOrder?, filter: String = "", limits: CacheLimits = CacheLimits()) throws -> [String]
    {
        let folder = try CacheFolder(limits: limits)
        let list = try folder.cache.openList(folder.list(items).digest)
        let order = try folder.cache.openOrder(folder.cache.sort(list, by: order, filter: filter).digest)
        #expect(order.list == list.digest)
        let page = try list.page(order: order, offset: 0, limit: items.count)
        #expect(try order.positions(offset: 0, limit: items.count).map { try list.item(at: $0) } == page)
        return page.map(\.id)
    }

    private func valued(_ values: [(String, FieldValue?)]) -> [ListItem] {
        values.map { id, value in
            ListItem(id: id, title: id, fields: value.map { [.init(name: "v", value: $0)] } ?? [])
        }
    }

    @Test(
        "texts sort by their NFC lower-cased code points",
        arguments: [
            (["b", "A", "a1", "B2"], ["A", "a1", "b", "B2"]),
            (["Zebra", "äpfel", "Äpfel2", "apfel"], ["apfel", "Zebra", "äpfel", "Äpfel2"]),
            (["e\u{301}b", "éa", "\u{E9}c"], ["éa", "e\u{301}b", "\u{E9}c"]),
            (["\u{212B}", "å2", "a\u{30A}1"], ["\u{212B}", "a\u{30A}1", "å2"]),
            (["Ω2", "\u{2126}1", "ω3"], ["\u{2126}1", "Ω2", "ω3"]),
            (["a\0b", "a", "ab", ""], ["", "a", "a\0b", "ab"]),
            (["日本", "中国", "ひ"], ["ひ", "中国", "日本"]),
            (["\u{FB01}", "\u{1F600}", "\u{FFFD}"], ["\u{FB01}", "\u{FFFD}", "\u{1F600}"]),
        ])
    func texts(given: [String], sorted: [String]) throws {
        let items = given.map { text in ListItem(id: "id" + text, title: text) }
        #expect(try ids(items, SortOrder(field: "title")) == sorted.map { "id" + $0 })
        #expect(try ids(items, SortOrder(field: "title", ascending: false)) == sorted.reversed().map { "id" + $0 })
    }

    @Test("numbers sort by value, with negative, zero and huge ones")
    func numbers() throws {
        let items = valued([
            ("ten", .number(10)), ("minus", .number(-3)), ("zero", .number(-0.0)), ("half", .number(0.5)), ("huge", .number(1e300)),
            ("low", .number(-1e300)), ("nine", .number(9)),
        ])
        let sorted = ["low", "minus", "zero", "half", "nine", "ten", "huge"]
        #expect(try ids(items, SortOrder(field: "v")) == sorted)
        #expect(try ids(items, SortOrder(field: "v", ascending: false)) == sorted.reversed())
    }

    @Test("dates sort by instant, also before 1970")
    func dates() throws {
        let items = valued([
            ("c", .date(WallTime(milliseconds: 5))), ("a", .date(WallTime(milliseconds: -5))), ("b", .date(WallTime(milliseconds: 0))),
        ])
        #expect(try ids(items, SortOrder(field: "v")) == ["a", "b", "c"])
    }

    @Test("missing values are last in both directions")
    func missing() throws {
        let items = valued([("m1", nil), ("b", .text("b")), ("m0", nil), ("a", .text("a")), ("e", .text(""))])
        #expect(try ids(items, SortOrder(field: "v")) == ["e", "a", "b", "m0", "m1"])
        #expect(try ids(items, SortOrder(field: "v", ascending: false)) == ["b", "a", "e", "m0", "m1"])
        #expect(try ids(items, SortOrder(field: "nobody has it")) == ["a", "b", "e", "m0", "m1"])
    }

    @Test("values of several types sort by type first")
    func mixed() throws {
        let items = valued([
            ("text", .text("1")), ("date", .date(WallTime(milliseconds: 1))), ("number", .number(1)), ("true", .bool(true)),
            ("false", .bool(false)),
        ])
        let sorted = ["false", "true", "number", "date", "text"]
        #expect(try ids(items, SortOrder(field: "v")) == sorted)
        #expect(try ids(items, SortOrder(field: "v", ascending: false)) == sorted.reversed())
    }

    @Test("ties go by creation date, then by id, in both directions")
    func ties() throws {
        let items = [
            ListItem(id: "c", title: "same", createdAt: WallTime(milliseconds: 1)), ListItem(id: "z", title: "same"),
            ListItem(id: "b", title: "Same", createdAt: WallTime(milliseconds: 2)),
            ListItem(id: "a", title: "same", createdAt: WallTime(milliseconds: 2)),
        ]
        #expect(try ids(items, SortOrder(field: "title")) == ["c", "a", "b", "z"])
        #expect(try ids(items, SortOrder(field: "title", ascending: false)) == ["c", "a", "b", "z"])
        #expect(try ids(items, SortOrder(field: "createdAt", ascending: false)) == ["a", "b", "c", "z"])
        #expect(try ids(items, SortOrder(field: "id", ascending: false)) == ["z", "c", "b", "a"])
    }

    @Test("a filter keeps items whose title or text fields contain the text, whatever the case or the composition")
    func filter() throws {
        let items = [
            ListItem(id: "1", title: "Café au lait"),
            ListItem(id: "2", title: "x", fields: [.init(name: "f", value: .text("the CAFE\u{301}"))]),
            ListItem(id: "3", title: "cafe"), ListItem(id: "4", title: "caf", fields: [.init(name: "f", value: .number(3))]),
        ]
        #expect(try ids(items, nil, filter: "CAFÉ") == ["1", "2"])
        #expect(try ids(items, SortOrder(field: "title", ascending: false), filter: "caf") == ["2", "1", "3", "4"])
        #expect(try ids(items, nil, filter: "nothing") == [])
        #expect(try ids(items, nil) == ["1", "2", "3", "4"])
    }

    @Test("a sort that does not fit in memory gives the very same order")
    func external() async throws {
        try await onOwnThread {
            let folder = try CacheFolder(limits: CacheLimits(sortByteCount: 40_000))
            let wide = try CacheFolder()
            let written = items(0..<5_000).reversed().map { $0 }
            let order = SortOrder(field: "price", ascending: false)
            let small = try folder.cache.sort(folder.cache.openList(folder.list(written).digest), by: order, filter: "note 7")
            let large = try wide.cache.sort(wide.cache.openList(wide.list(written).digest), by: order, filter: "note 7")
            #expect(small == large)
            #expect(small.itemCount == 500)
            let all = try folder.cache.sort(folder.cache.openList(folder.list(written).digest), by: order)
            #expect(try all == wide.cache.sort(wide.cache.openList(wide.list(written).digest), by: order))
            #expect(try folder.entries().allSatisfy { !$0.hasPrefix(".adding") }, "no run stays on disk")
        }
    }

    @Test("a sort stops when its caller says so, and leaves nothing")
    func cancel() throws {
        let folder = try CacheFolder()
        let list = try folder.cache.openList(folder.list(items(0..<100)).digest)
        let before = try folder.entries()
        #expect(code { _ = try folder.cache.sort(list, by: SortOrder(field: "title"), progress: { _ in false }) } == .cancelled)
        #expect(try folder.entries() == before)
    }

    @Test("an order of another list is refused")
    func foreignOrder() throws {
        let folder = try CacheFolder()
        let first = try folder.cache.openList(folder.list(items(0..<10)).digest)
        let second = try folder.cache.openList(folder.list(items(0..<11)).digest)
        let order = try folder.cache.openOrder(folder.cache.sort(first, by: SortOrder(field: "title")).digest)
        #expect(code { _ = try second.page(order: order, offset: 0, limit: 5) } == .mismatch)
    }
}
