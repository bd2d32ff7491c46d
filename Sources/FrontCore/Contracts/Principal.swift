//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// Who speaks, as the transport has proved it.
public struct Principal: Hashable, Sendable {
    /// The user id of a local peer; nil where the transport cannot tell.
    public var userID: UInt32?
    /// The process that a local peer's connection belongs to; nil where the transport cannot tell.
    public var process: ProcessIdentity?
    /// What they may do.
    public var rights: Rights

    /// Somebody who may do everything.
    public static let everything = Principal(rights: [.observe, .request, .work, .admin])

    /// Somebody; without a word of the transport's they may do nothing.
    public init(userID: UInt32? = nil, process: ProcessIdentity? = nil, rights: Rights = []) {
        self.userID = userID
        self.process = process
        self.rights = rights
    }
}
