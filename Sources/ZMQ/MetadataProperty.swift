//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A property of the connection that a message came by.
public struct MetadataProperty: Hashable, Sendable {
    /// libzmq's name.
    public let name: String

    /// Names a property.
    public init(_ name: String) {
        self.name = name
    }

    /// The peer's address; on ipc `localhost:uid:gid:pid` as the kernel vouches for it.
    public static let peerAddress = MetadataProperty("Peer-Address")
    /// The user id that the ZAP handler answered with.
    public static let userID = MetadataProperty("User-Id")
    /// The peer's socket type.
    public static let socketType = MetadataProperty("Socket-Type")
}
