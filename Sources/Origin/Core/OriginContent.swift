//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

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
