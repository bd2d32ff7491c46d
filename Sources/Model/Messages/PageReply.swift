//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The page service's answer.
public struct PageReply: Hashable, Sendable {
    /// The number of the request.
    public var number: UInt64
    /// Items of the list, each as JSON text, in order; fewer than asked for at the end or when a frame would be too large.
    public var items: [[UInt8]]
    /// How many items the order has in all.
    public var itemCount: UInt64
    /// Why there are no items: `unknownItem` for an object that is gone, `storageFailed` for one that cannot be read, `tooLarge` for an item
    /// that no frame holds (`next` in the arguments is where to go on), `busy` when too much is under way, `invalidData` for a request that breaks
    /// a rule or names what does not belong together.
    public var failure: Failure?
    /// The bytes that were asked for; `itemCount` is how many there are in all.
    public var data: [UInt8] = []

    /// A page.
    public init(number: UInt64, items: [[UInt8]] = [], itemCount: UInt64 = 0, failure: Failure? = nil) {
        self.number = number
        self.items = items
        self.itemCount = itemCount
        self.failure = failure
    }
}
