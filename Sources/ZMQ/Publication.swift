//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// One published message as copied bytes.
public struct Publication: Hashable, Sendable {
    /// The first frame.
    public let topic: [UInt8]
    /// The second frame.
    public let payload: [UInt8]
}
