//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

/// What the loaders need to know of a feed: travels as JSON text in `FeedDefinition.settings` and `FeedWork.settings`.
///
/// ```json
/// {"detail":"http://127.0.0.1:7711/todos/{id}",
///  "http":{"connectTimeoutSeconds":5,"idleTimeoutSeconds":15,"maxBodyBytes":67108864,"totalTimeoutSeconds":60},
///  "item":{"fields":[{"name":"price","path":"/price","type":"number"}],"id":"/id","title":"/title"},
///  "source":{"items":"/todos","url":"http://127.0.0.1:7711/todos"}}
/// ```
public struct LoaderSettings: Codable, Hashable, Sendable {
    /// Where the list comes from; nil: `source: none`, the list is made by hand only.
    public var source: HTTPSource?
    /// Where the parts of an item are.
    public var item: ItemMapping
    /// The address of one item's detail: `{id}` and the feed's parameters; nil: the item itself is the detail.
    public var detail: URLTemplate?
    /// What bounds a transfer.
    public var http: HTTPLimits

    public init(source: HTTPSource?, item: ItemMapping, detail: URLTemplate? = nil, http: HTTPLimits = HTTPLimits()) {
        self.source = source
        self.item = item
        self.detail = detail
        self.http = http
    }

    /// Reads the JSON text.
    /// - Throws: `DecodingError` when a part is missing or malformed.
    public init(json: [UInt8]) throws {
        self = try JSONDecoder().decode(LoaderSettings.self, from: Data(json))
    }

    /// The JSON text, keys sorted, so that equal settings have equal bytes.
    /// - Throws: `EncodingError` for a number that is not finite.
    public func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }
}
