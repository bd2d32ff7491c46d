//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Asks the page service for items of a list.
package struct PageRequest: Hashable, Sendable {
    /// The client's number for it; the reply carries the same.
    package var number: UInt64
    /// The list.
    package var content: ObjectDigest
    /// The order to read it by; nil: its own.
    package var order: ObjectDigest?
    /// The first item's position in that order, from 0.
    package var offset: UInt64
    /// How many items at most, 1 to 1,000; others are refused by the codec.
    package var limit: UInt32
    /// What the front asks for where it listens to TCP: the content of `DATA/run/token`, at most 64 bytes.
    package var token: [UInt8]
    /// Whether `content` is a stored detail rather than a list: `offset` and `limit` are bytes then, at most 524,288 of them.
    package var readsBytes = false

    /// A page of a list.
    package init(
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

/// The page service's answer.
package struct PageReply: Hashable, Sendable {
    /// The number of the request.
    package var number: UInt64
    /// Items of the list, each as JSON text, in order; fewer than asked for at the end or when a frame would be too large.
    package var items: [[UInt8]]
    /// How many items the order has in all.
    package var itemCount: UInt64
    /// Why there are no items: `unknownItem` for an object that is no longer there, `storageFailed` for one that cannot be read, `tooLarge` for an item
    /// that no frame holds (`next` in the arguments is where to go on), `busy` when too much is under way, `invalidData` for a request that breaks
    /// a rule or names what does not belong together.
    package var failure: Failure?
    /// The bytes that were asked for; `itemCount` is how many there are in all.
    package var data: [UInt8] = []

    /// A page.
    package init(number: UInt64, items: [[UInt8]] = [], itemCount: UInt64 = 0, failure: Failure? = nil) {
        self.number = number
        self.items = items
        self.itemCount = itemCount
        self.failure = failure
    }
}
