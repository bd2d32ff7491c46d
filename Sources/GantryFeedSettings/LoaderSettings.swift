//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
package import GantryModel

/// What the loaders need to know of a feed: travels as JSON text in `FeedDefinition.settings` and `FeedWork.settings`.
///
/// ```json
/// {"detail":"http://127.0.0.1:7711/todos/{id}",
///  "http":{"connectTimeoutSeconds":5,"idleTimeoutSeconds":15,"maxBodyBytes":67108864,"totalTimeoutSeconds":60},
///  "item":{"fields":[{"name":"price","path":"/price","type":"number"}],"id":"/id","title":"/title"},
///  "source":{"http":{"items":"/todos","url":"http://127.0.0.1:7711/todos"}}}
/// ```
/// Where the list comes from a loader of one's own, its settings are a JSON text in that text:
/// `"source":{"loader":{"givesDetails":false,"name":"cities","settings":"{\"country\":\"de\"}"}}`.
package struct LoaderSettings: Codable, Hashable, Sendable {
    /// Where the list comes from; nil: `source: none`, the list is made by hand only.
    package var source: FeedSource?
    /// Where the parts of an item are.
    package var item: ItemMapping
    /// The address of one item's detail: `{id}` and the feed's parameters; nil: the item itself is the detail, or the loader of the source gives it.
    package var detail: URLTemplate?
    /// What bounds a transfer.
    package var http: HTTPLimits

    package init(source: FeedSource?, item: ItemMapping, detail: URLTemplate? = nil, http: HTTPLimits = HTTPLimits()) {
        self.source = source
        self.item = item
        self.detail = detail
        self.http = http
    }

    /// Reads the JSON text.
    /// - Throws: `DecodingError` when a part is missing or malformed.
    package init(json: [UInt8]) throws {
        self = try JSONDecoder().decode(LoaderSettings.self, from: Data(json))
    }

    /// The JSON text, keys sorted, so that equal settings have equal bytes.
    /// - Throws: `EncodingError` for a number that is not finite.
    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }
}

extension LoaderSettings {
    /// The list behind an address; nil: it comes from elsewhere.
    package var httpSource: HTTPSource? {
        if case .http(let source) = source { return source }
        return nil
    }

    /// What a loader of one's own is to write; nil: the list comes from elsewhere.
    package var loaderSource: LoaderSource? {
        if case .loader(let source) = source { return source }
        return nil
    }
}

/// Where the list of a feed comes from. In JSON an object with one member, named as in the configuration.
package enum FeedSource: Hashable, Sendable {
    /// A JSON API, which the loader `http` asks.
    case http(HTTPSource)
    /// A loader of one's own, which writes the items.
    case loader(LoaderSource)
}

extension FeedSource: Codable {
    private enum CodingKeys: String, CodingKey {
        case http, loader
    }

    /// Reads the object.
    /// - Throws: `DecodingError` when neither member is there, or it is malformed.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        if let source = try members.decodeIfPresent(LoaderSource.self, forKey: .loader) {
            self = .loader(source)
        } else {
            self = .http(try members.decode(HTTPSource.self, forKey: .http))
        }
    }

    /// Writes the object.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .http(let source): try members.encode(source, forKey: .http)
        case .loader(let source): try members.encode(source, forKey: .loader)
        }
    }
}

/// A list that a loader of one's own writes, item by item.
package struct LoaderSource: Codable, Hashable, Sendable {
    /// Most bytes of the settings: they travel with each job of the feed.
    package static let settingsByteCount = 16 << 10

    /// The loader's name, by the rule of feed names.
    package var name: String
    /// A JSON object as text, at most `settingsByteCount` bytes; what is in it only the loader knows.
    package var settings: String
    /// Whether the loader gives the details of items; false: an item is its own detail.
    package var givesDetails: Bool

    package init(name: String, settings: String = "{}", givesDetails: Bool = false) {
        self.name = name
        self.settings = settings
        self.givesDetails = givesDetails
    }
}

/// A list behind an address.
package struct HTTPSource: Codable, Hashable, Sendable {
    /// The address; its names are the feed's parameters.
    package var url: URLTemplate
    /// Where in the answer the array of items is; the empty pointer: the answer is the array.
    package var items: JSONPointer

    /// Names the list.
    package init(url: URLTemplate, items: JSONPointer) {
        self.url = url
        self.items = items
    }
}

/// An entry of `http.allow`: a host and a port, or each port, that the http loader may reach although the address is loopback or private.
///
/// Text form `host:port` or `host:*`. Hosts are compared without case (RFC 3986, section 3.2.2).
package struct AllowedAddress: Hashable, Sendable {
    /// What is allowed; the host in lower case.
    package let address: HostAndPort

    /// Reads the text form; nil if it is not one.
    package init?(_ text: String) {
        guard let address = HostAndPort(text.lowercased()), address.port != 0, !address.host.contains("*") else { return nil }
        self.address = address
    }

    /// Whether an address of a URL is meant by this entry.
    ///
    /// - Parameter host: As in the URL, with or without brackets.
    package func allows(host: String, port: Int) -> Bool {
        HostAndPort.bare(host).lowercased() == address.host && allows(port: port)
    }

    /// Whether this port of the host is meant.
    package func allows(port: Int) -> Bool { address.port.map { $0 == port } ?? true }
}

/// What bounds one load of the http loader. The worker's own bounds win where they are tighter.
package struct HTTPLimits: Hashable, Sendable {
    /// The largest body in bytes, after inflation; above it the load fails with `tooLarge`.
    package var maxBodyBytes: Int
    /// Until a connection must stand.
    package var connectTimeout: Duration
    /// The time without a byte after which the transfer fails with `timedOut`.
    package var idleTimeout: Duration
    /// For the whole load: finding the host, the transfer, and the worker's own work on what came; waiting for memory does not count.
    package var totalTimeout: Duration

    /// The defaults of the configuration: 64 MiB, 5 s, 15 s, 60 s.
    package init(
        maxBodyBytes: Int = 64 << 20, connectTimeout: Duration = .seconds(5), idleTimeout: Duration = .seconds(15),
        totalTimeout: Duration = .seconds(60)
    ) {
        self.maxBodyBytes = maxBodyBytes
        self.connectTimeout = connectTimeout
        self.idleTimeout = idleTimeout
        self.totalTimeout = totalTimeout
    }
}

extension HTTPLimits: Codable {
    /// As JSON the times are seconds, which their names say.
    private enum CodingKeys: String, CodingKey {
        case maxBodyBytes, connectTimeoutSeconds, idleTimeoutSeconds, totalTimeoutSeconds
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        func time(_ key: CodingKeys) throws -> Duration { Duration(clampingSeconds: try fields.decode(Double.self, forKey: key)) }
        self.init(
            maxBodyBytes: try fields.decode(Int.self, forKey: .maxBodyBytes), connectTimeout: try time(.connectTimeoutSeconds),
            idleTimeout: try time(.idleTimeoutSeconds), totalTimeout: try time(.totalTimeoutSeconds))
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(maxBodyBytes, forKey: .maxBodyBytes)
        try fields.encode(connectTimeout.inSeconds, forKey: .connectTimeoutSeconds)
        try fields.encode(idleTimeout.inSeconds, forKey: .idleTimeoutSeconds)
        try fields.encode(totalTimeout.inSeconds, forKey: .totalTimeoutSeconds)
    }
}

/// Where the parts of an item are found in one element of the source's list.
package struct ItemMapping: Codable, Hashable, Sendable {
    /// The id: text, or a number that becomes its decimal text. Must be there.
    package var id: JSONPointer
    /// The text that lists show; nil: the id.
    package var title: JSONPointer?
    /// When the item was made, RFC 3339; nil: when it was first seen.
    package var createdAt: JSONPointer?
    /// When the item is due, RFC 3339.
    package var dueAt: JSONPointer?
    /// A longer text.
    package var description: JSONPointer?
    /// The address of an image: an http or https URL, or a path relative to the source. Anything else makes the list invalid.
    package var icon: JSONPointer?
    /// Further fields in the order of the configuration, each name once.
    package var fields: [Field]

    /// A further field that views can show and sort by.
    package struct Field: Codable, Hashable, Sendable {
        /// Its name, by the rule of feed names.
        package var name: String
        /// Where its value is; items without it have none.
        package var path: JSONPointer
        /// How its values are compared.
        package var type: FieldType

        /// Declares a field.
        package init(name: String, path: JSONPointer, type: FieldType = .string) {
            self.name = name
            self.path = path
            self.type = type
        }
    }

    /// A mapping with an id and no more.
    package init(id: JSONPointer) {
        self.id = id
        self.fields = []
    }

    /// That of items which a loader writes itself: each part is where an item as JSON has it.
    package init(written fields: [(name: String, type: FieldType)]) {
        id = .member("id")
        title = .member("title")
        self.fields = fields.map { Field(name: $0.name, path: .member($0.name), type: $0.type) }
    }
}

/// How the values of a configured field are read and compared.
package enum FieldType: String, Codable, Hashable, Sendable, CaseIterable {
    /// Text; numbers and booleans become their JSON text.
    case string
    /// A JSON number, or text that holds one.
    case number
    /// `true` or `false`; false is the smaller.
    case boolean
    /// A point in time as text by RFC 3339.
    case date
}
