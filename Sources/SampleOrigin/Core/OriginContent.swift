//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What the origin answers, as pieces that are made when they are sent: a list of a million items is never in memory at once.
struct OriginContent: Sendable {
    static let json = "application/json; charset=utf-8"

    var status: Int
    var contentType: String
    /// Of the whole body.
    var byteCount: Int?
    var pieceCount: Int
    /// The bytes of piece `index`, 0 to `pieceCount - 1`. Every piece can be made without those before it.
    var piece: @Sendable (_ index: Int) -> [UInt8]
    /// What an endless body goes on with: more of the same, without the end of the document.
    var continuation: @Sendable (_ index: Int) -> [UInt8] = { _ in [UInt8](repeating: UInt8(ascii: " "), count: 16_384) }

    init(
        status: Int = 200, contentType: String = Self.json, byteCount: Int?, pieceCount: Int,
        piece: @escaping @Sendable (_ index: Int) -> [UInt8]
    ) {
        self.status = status
        self.contentType = contentType
        self.byteCount = byteCount
        self.pieceCount = pieceCount
        self.piece = piece
    }

    /// A body of one piece.
    init(status: Int = 200, contentType: String = Self.json, _ bytes: [UInt8]) {
        self.init(status: status, contentType: contentType, byteCount: bytes.count, pieceCount: 1) { _ in bytes }
    }

    static func failure(_ status: Int, code: String, _ message: String) -> OriginContent {
        var json = JSONWriter()
        json.open("{")
        json.key("error")
        json.open("{")
        json.field("code", code)
        json.field("message", message)
        json.close("}")
        json.close("}")
        return OriginContent(status: status, json.bytes)
    }

    /// The same, ending too early to be JSON. The body is whole for HTTP: its length is announced.
    func brokenOff() -> OriginContent {
        let first = piece(0)
        return OriginContent(status: status, contentType: contentType, pieceCount == 1 ? Array(first.dropLast()) : first)
    }

    /// The same without an end.
    func endless() -> OriginContent {
        let beginning = brokenOff().piece(0)
        let continuation = continuation
        return OriginContent(status: status, contentType: contentType, byteCount: nil, pieceCount: .max) { index in
            index == 0 ? beginning : continuation(index)
        }
    }
}

/// Which content belongs to which path.
///
/// | path | content |
/// |---|---|
/// | `/items?parameter=sample&count=100` | a list of up to 1,000,000 generated items |
/// | `/items/{id}?parameter=sample` | one of them |
/// | `/products?category=…`, `/products/{id}` | the form of the Fake Store |
/// | `/todos`, `/todos/{id}` | the form of dummyjson |
/// | `/images/{id}` | a picture drawn from the id |
enum OriginRoute {
    /// - Parameter base: address of the origin as the client knows it, for addresses of images.
    static func content(path: String, query: [String: String], base: String) -> OriginContent {
        let pieces = path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        let id = pieces.count > 1 ? Int(pieces[1]) : nil
        let found: OriginContent? =
            switch (pieces.first, pieces.count) {
            case ("items", 1): items(query)
            case ("items", 2): item(id, query)
            case ("products", 1): SampleProducts(base: base).list(category: query["category"].flatMap { $0.isEmpty ? nil : $0 })
            case ("products", 2): id.flatMap { SampleProducts(base: base).product($0) }
            case ("todos", 1): SampleTodos.list
            case ("todos", 2): id.flatMap { SampleTodos.todo($0) }
            case ("images", 2): SampleImage.content(id: pieces[1])
            default: nil
            }
        return found
            ?? .failure(404, code: "notFound", "nothing at \(path): try /items, /products, /todos, /images/{id}, /faults, /counters")
    }

    private static func items(_ query: [String: String]) -> OriginContent {
        let text = query["count"] ?? "100"
        guard let count = Int(text), (0...SampleItems.largestCount).contains(count) else {
            return .failure(400, code: "badCount", "count is \"\(text)\": give a number from 0 to \(SampleItems.largestCount)")
        }
        return SampleItems(parameter: query["parameter"] ?? "sample", count: count).content
    }

    private static func item(_ id: Int?, _ query: [String: String]) -> OriginContent? {
        guard let id, (1...SampleItems.largestCount).contains(id) else { return nil }
        return OriginContent(SampleItems(parameter: query["parameter"] ?? "sample", count: 1).item(id - 1))
    }
}
