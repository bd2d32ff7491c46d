//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Who is at the other end of an ipc connection, as the kernel vouches for it (`SO_PEERCRED`).
public struct PeerCredentials: Hashable, Sendable {
    /// The peer's user.
    public let userID: UInt32
    /// The peer's group.
    public let groupID: UInt32
    /// The peer's process at the time it connected.
    public let processID: Int32

    /// Reads `localhost:uid:gid:pid`.
    /// - Returns: nil for any other text, so for TCP and inproc.
    public init?(peerAddress: String) {
        let parts = peerAddress.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "localhost",
            let userID = UInt32(parts[1]), let groupID = UInt32(parts[2]), let processID = Int32(parts[3])
        else { return nil }
        self.userID = userID
        self.groupID = groupID
        self.processID = processID
    }
}
