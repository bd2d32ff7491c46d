//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The bounds of objects; at each the writer throws `tooLarge` and nothing is added.
public struct CacheLimits: Hashable, Sendable {
    /// Largest encoded item in bytes; at most 16 MiB - 1, which is what an order entry can say.
    public var itemByteCount: Int
    /// Most items of a list; at most 2^32 - 1. The writer holds 24 bytes an item until it finishes.
    public var itemCount: Int
    /// Most content bytes of an object; at most 2^40 - 1, which is what an order entry can say.
    public var objectByteCount: UInt64
    /// Most bytes of sort keys held in memory; beyond it sorted runs go to a nameless file and are merged.
    public var sortByteCount: Int

    /// The defaults: 1 MiB an item, 8,388,608 items, 16 GiB an object, 128 MiB of sort keys.
    public init(
        itemByteCount: Int = 1 << 20, itemCount: Int = 1 << 23, objectByteCount: UInt64 = 1 << 34, sortByteCount: Int = 128 << 20
    ) {
        self.itemByteCount = min(itemByteCount, 1 << 24 - 1)
        self.itemCount = min(itemCount, Int(UInt32.max))
        self.objectByteCount = min(objectByteCount, 1 << 40 - 1)
        self.sortByteCount = sortByteCount
    }
}
