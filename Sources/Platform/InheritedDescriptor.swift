//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A descriptor that a spawned process gets beside its three standard streams.
public struct InheritedDescriptor: Hashable, Sendable {
    /// Its number here.
    public let parentNumber: Int32
    /// Its number there, 3 or above.
    public let childNumber: Int32

    /// Names both sides.
    public init(parentNumber: Int32, childNumber: Int32) {
        self.parentNumber = parentNumber
        self.childNumber = childNumber
    }
}
