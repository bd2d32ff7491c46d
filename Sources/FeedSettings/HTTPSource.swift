//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

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
