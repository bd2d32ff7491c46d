//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a collection did.
public struct CollectionReport: Hashable, Sendable {
    /// Objects removed.
    public var removedObjects = 0
    /// Bytes of the removed objects' files.
    public var removedByteCount: UInt64 = 0
    /// Temporary files removed that a dead writer had left.
    public var removedTemporaries = 0
    /// Objects left in place, named or younger than the bound.
    public var remainingObjects = 0
    /// Whether a writer was putting an object in place at that moment, so that some objects were left for the next collection.
    public var wasBusy = false
}
