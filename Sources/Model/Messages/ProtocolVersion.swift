//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The version of the protocol between clients, front and workers.
public enum ProtocolVersion {
    /// The only version so far.
    public static let current: UInt32 = 1
}
