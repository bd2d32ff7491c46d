//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Testing

@testable import SampleOrigin

@Suite("Sample data")
struct SampleDataTests {
    private struct Item: Decodable, Equatable {
        let id: String
        let title: String
        let description: String
        let value: Int
        let createdAt: String
    }

    private struct Todos: Decodable {
        struct Todo: Decodable {
            let id: Int
            let todo: String
            let completed: Bool
            let userId: Int
            let createdAt: Date?
            let dueAt: Date?
            let description: String?
        }
        let todos: [Todo]
        let total: Int
    }

    private struct Product: Decodable {
        struct Rating: Decodable {
            let rate: Double
            let count: Int
        }
        let id: Int
        let title: String
        let price: Double
        let description: String
        let category: String
        let image: URL
        let rating: Rating
    }

    private func bytes(_ content: OriginContent) -> [UInt8] {
        (0..<content.pieceCount).flatMap { content.piece($0) }
    }

    private func items(_ parameter: String, _ count: Int) throws -> [Item] {
        try JSONDecoder().decode([Item].self, from: Data(bytes(SampleItems(parameter: parameter, count: count).content)))
    }

    @Test("a list of items is valid JSON of the announced size", arguments: [0, 1, 2, 255, 256, 257, 1_000])
    func itemSizes(count: Int) throws {
        let content = SampleItems(parameter: "sample", count: count).content
        #expect(bytes(content).count == content.byteCount)
        #expect(try items("sample", count).count == count)
    }

    @Test("the parameter decides what the items are, the count only how many")
    func itemSeeds() throws {
        let some = try items("ünïcode \"quoted\"", 300)
        #expect(try items("ünïcode \"quoted\"", 10) == Array(some.prefix(10)))
        #expect(try items("other", 300) != some)
        #expect(Set(some.map(\.id)).count == 300)
        #expect(some.first?.id == "0000001")
        #expect(Set(some.map(\.title)).count > 250)
    }

    @Test("six of the twenty products are electronics, and every product has the form of the Fake Store")
    func products() throws {
        let store = SampleProducts(base: "http://127.0.0.1:1")
        let all = try JSONDecoder().decode([Product].self, from: Data(bytes(store.list(category: nil))))
        let electronics = try JSONDecoder().decode([Product].self, from: Data(bytes(store.list(category: "electronics"))))
        #expect(all.map(\.id) == Array(1...20))
        #expect(electronics.map(\.id) == Array(9...14))
        #expect(all.allSatisfy { $0.price >= 5 && $0.price < 1_000 && (1..<5).contains($0.rating.rate) && $0.rating.count > 0 })
        #expect(all.allSatisfy { !$0.title.isEmpty && !$0.description.isEmpty })
        #expect(all.first?.image.absoluteString == "http://127.0.0.1:1/images/product-1")
        #expect(bytes(store.list(category: "cars")) == Array("[]".utf8))
        let one = try #require(store.product(9))
        #expect(try JSONDecoder().decode(Product.self, from: Data(bytes(one))).title == electronics.first?.title)
        #expect(store.product(21) == nil)
        #expect(store.product(0) == nil)
    }

    @Test("todos have the form of dummyjson, with each of the optional fields at two of three")
    func todos() throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let list = try decoder.decode(Todos.self, from: Data(bytes(SampleTodos.list)))
        #expect(list.todos.map(\.id) == Array(1...30))
        #expect(list.total == 30)
        #expect(list.todos.count { $0.createdAt != nil } == 20)
        #expect(list.todos.count { $0.dueAt != nil } == 20)
        #expect(list.todos.count { $0.description != nil } == 20)
        #expect(Set(list.todos.map(\.completed)).count == 2)
        #expect(list.todos.allSatisfy { !$0.todo.isEmpty && $0.userId > 0 })
        #expect(SampleTodos.todo(31) == nil)
        let seventh = try #require(SampleTodos.todo(7))
        #expect(try decoder.decode(Todos.Todo.self, from: Data(bytes(seventh))).todo == list.todos[6].todo)
    }

    @Test("a picture follows from its id")
    func images() {
        let one = bytes(SampleImage.content(id: "1"))
        #expect(one == bytes(SampleImage.content(id: "1")))
        #expect(one != bytes(SampleImage.content(id: "2")))
        #expect(String(decoding: one, as: UTF8.self).hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\""))
    }

    @Test("text of a client comes back as valid JSON")
    func escapes() throws {
        let content = OriginRoute.content(path: "/a\"b\\c\u{1}\n", query: [:], base: "")
        let failure = try JSONDecoder().decode([String: [String: String]].self, from: Data(bytes(content)))
        #expect(content.status == 404)
        #expect(failure["error"]?["message"]?.contains("/a\"b\\c\u{1}\n") == true)
    }

    @Test("a count that cannot be served is refused", arguments: ["-1", "1000001", "many", ""])
    func badCounts(count: String) {
        #expect(OriginRoute.content(path: "/items", query: ["count": count], base: "").status == 400)
    }

    @Test("a broken body is no JSON, an endless one goes on with more of the same")
    func brokenAndEndless() {
        for content in [SampleTodos.list, SampleItems(parameter: "a", count: 1_000).content, SampleItems(parameter: "a", count: 0).content]
        {
            let broken = bytes(content.brokenOff())
            #expect(broken.count == content.brokenOff().byteCount)
            #expect(throws: (any Error).self) { try JSONSerialization.jsonObject(with: Data(broken)) }
        }
        let endless = SampleItems(parameter: "a", count: 3).content.endless()
        #expect(endless.byteCount == nil)
        #expect(endless.piece(1_000_000).first == UInt8(ascii: ","))
    }
}
