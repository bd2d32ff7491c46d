//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What happened to a replica.
public enum ReplicaEvent: String, Hashable, Sendable {
    /// A whole snapshot was taken over.
    case snapshot
    /// A change was applied.
    case change
    /// Changes are missing, or nothing was heard for too long: a snapshot was asked for.
    case gap
    /// A later life of the front, or another front: everything begins again.
    case epoch
    /// Three heartbeats in a row were not answered: the items may be old.
    case lost
    /// The front answers again; the items are being verified anew.
    case back
    /// A bookmark's checksum equals the checksum over the replica's own bytes.
    case verified
    /// A bookmark's checksum differs from the checksum over the replica's own bytes: a snapshot was asked for.
    case checksumDiffers
}
