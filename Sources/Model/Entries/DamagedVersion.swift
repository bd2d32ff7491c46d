//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A version of a feed's content that turned out damaged, or gone.
public struct DamagedVersion: Hashable, Sendable {
    /// The list.
    public var object: ObjectDigest
    /// When it was found damaged.
    public var foundAt: WallTime

    /// That version.
    public init(_ object: ObjectDigest, foundAt: WallTime) { (self.object, self.foundAt) = (object, foundAt) }
}
