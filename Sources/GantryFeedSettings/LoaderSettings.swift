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

/// A list behind an address.
public struct HTTPSource: Codable, Hashable, Sendable {
    /// The address; its names are the feed's parameters.
    public var url: URLTemplate
    /// Where in the answer the array of items is; the empty pointer: the answer is the array.
    public var items: JSONPointer

    /// Names the list.
    public init(url: URLTemplate, items: JSONPointer) {
        self.url = url
        self.items = items
    }
}

/// What bounds one load of the http loader. The worker's own bounds win where they are tighter.
public struct HTTPLimits: Codable, Hashable, Sendable {
    /// The largest body in bytes, after inflation; above it the load fails with `tooLarge`.
    public var maxBodyBytes: Int
    /// Seconds until a connection must stand.
    public var connectTimeoutSeconds: Double
    /// Seconds without a byte until the transfer fails with `timedOut`.
    public var idleTimeoutSeconds: Double
    /// Seconds for the whole load: finding the host, the transfer, and the worker's own work on what came; waiting for memory does not count.
    public var totalTimeoutSeconds: Double

    /// The defaults of the configuration: 64 MiB, 5 s, 15 s, 60 s.
    public init(
        maxBodyBytes: Int = 64 << 20, connectTimeoutSeconds: Double = 5, idleTimeoutSeconds: Double = 15,
        totalTimeoutSeconds: Double = 60
    ) {
        self.maxBodyBytes = maxBodyBytes
        self.connectTimeoutSeconds = connectTimeoutSeconds
        self.idleTimeoutSeconds = idleTimeoutSeconds
        self.totalTimeoutSeconds = totalTimeoutSeconds
    }
}

/// Where the parts of an item are found in one element of the source's list.
public struct ItemMapping: Codable, Hashable, Sendable {
    /// The id: text, or a number that becomes its decimal text. Must be there.
    public var id: JSONPointer
    /// The text that lists show; nil: the id.
    public var title: JSONPointer?
    /// When the item was made, RFC 3339; nil: when it was first seen.
    public var createdAt: JSONPointer?
    /// When the item is due, RFC 3339.
    public var dueAt: JSONPointer?
    /// A longer text.
    public var description: JSONPointer?
    /// The address of an image: an http or https URL, or a path relative to the source. Anything else makes the list invalid.
    public var icon: JSONPointer?
    /// Further fields in the order of the configuration, each name once.
    public var fields: [Field]

    /// A further field that views can show and sort by.
    public struct Field: Codable, Hashable, Sendable {
        /// Its name, by the rule of feed names.
        public var name: String
        /// Where its value is; items without it have none.
        public var path: JSONPointer
        /// How its values are compared.
        public var type: FieldType

        /// Declares a field.
        public init(name: String, path: JSONPointer, type: FieldType = .string) {
            self.name = name
            self.path = path
            self.type = type
        }
    }

    /// A mapping with an id and no more.
    public init(id: JSONPointer) {
        self.id = id
        self.fields = []
    }
}

/// How the values of a configured field are read and compared.
public enum FieldType: String, Codable, Hashable, Sendable, CaseIterable {
    /// Text; numbers and booleans become their JSON text.
    case string
    /// A JSON number, or text that holds one.
    case number
    /// `true` or `false`; false is the smaller.
    case boolean
    /// A point in time as text by RFC 3339.
    case date
}
