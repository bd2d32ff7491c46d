//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Asks the page service for items of a list.
public struct PageRequest: Hashable, Sendable {
    /// The client's number for it; the reply carries the same.
    public var number: UInt64
    /// The list.
    public var content: ObjectDigest
    /// The order to read it by; nil: its own.
    public var order: ObjectDigest?
    /// The first item's position in that order, from 0.
    public var offset: UInt64
    /// How many items at most, 1 to 1,000; others are refused by the codec.
    public var limit: UInt32
    /// What the front asks for where it listens to TCP: the content of `DATA/run/token`, at most 64 bytes.
    public var token: [UInt8]
    /// Whether `content` is a stored detail rather than a list: `offset` and `limit` are bytes then, at most 524,288 of them.
    public var readsBytes = false

    /// A page of a list.
    public init(
        number: UInt64, content: ObjectDigest, order: ObjectDigest? = nil, offset: UInt64 = 0, limit: UInt32 = 50, token: [UInt8] = []
    ) {
        self.number = number
        self.content = content
        self.order = order
        self.offset = offset
        self.limit = limit
        self.token = token
    }
}
