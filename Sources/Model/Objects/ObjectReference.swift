//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What the front knows of an object: its name and its size, never its bytes.
public struct ObjectReference: Hashable, Sendable {
    /// The object's name in the cache.
    public var digest: ObjectDigest
    /// Size of the object's content in bytes, without index and sums.
    public var byteCount: UInt64
    /// How many items a list or an order has; 0 for plain bytes.
    public var itemCount: UInt64

    /// Joins name and sizes.
    public init(digest: ObjectDigest, byteCount: UInt64, itemCount: UInt64) {
        self.digest = digest
        self.byteCount = byteCount
        self.itemCount = itemCount
    }
}
