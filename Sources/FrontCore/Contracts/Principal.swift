//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// The sender of a message, as the transport has proved it.
package struct Principal: Hashable, Sendable {
    /// The user id of a local peer; nil where the transport does not know it.
    package var userID: UInt32?
    /// The process that a local peer's connection belongs to; nil where the transport does not know it.
    package var process: ProcessIdentity?
    /// What they may do.
    package var rights: Rights

    /// A sender that may do everything.
    package static let everything = Principal(rights: [.observe, .request, .work, .admin])

    /// Somebody; without a word of the transport's they may do nothing.
    package init(userID: UInt32? = nil, process: ProcessIdentity? = nil, rights: Rights = []) {
        self.userID = userID
        self.process = process
        self.rights = rights
    }
}

/// What a sender may do at a front. It follows from the endpoint and the user id, never from what a message contains.
package struct Rights: OptionSet, Hashable, Sendable {
    /// Reads: lists, explanations, snapshots.
    package static let observe = Self(rawValue: 1)
    /// Changes feeds, views and jobs, drains workers, and keeps feeds busy.
    package static let request = Self(rawValue: 2)
    /// Runs jobs as a worker.
    package static let work = Self(rawValue: 4)
    /// Changes the front itself; no request of version 1 does.
    package static let admin = Self(rawValue: 8)

    /// A bit for each of them.
    package let rawValue: UInt8

    /// Some rights.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The one table of rights. Frames from a sender without any right are dropped.
    ///
    /// - Parameters:
    ///   - channel: the endpoint.
    ///   - userID: the sender's; nil: it came over TCP, where only the token shows that it belongs to the user.
    ///   - owner: the user id that the front runs under.
    package static func of(_ channel: FrontChannel, userID: UInt32?, owner: UInt32) -> Self {
        let isKnown = userID == owner || userID == 0
        return switch channel {
        case .clients where isKnown: [.observe, .request, .admin]
        case .clients where userID == nil: [.observe, .request]
        case .workers where isKnown || userID == nil: .work
        case .subscriptions where isKnown || userID == nil: .observe
        case .clients, .workers, .subscriptions: []
        }
    }

    /// What a refusal names.
    var names: String {
        let all: [(Self, String)] = [(.observe, "observe"), (.request, "request"), (.work, "work"), (.admin, "admin")]
        return all.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}

extension RequestBody {
    /// What it needs. To attach is to change: a feed loads because of it.
    var right: Rights {
        switch effect {
        case .work, .cancel, .change, .interest: .request
        case .list, .nothing: .observe
        }
    }
}

extension Failure {
    /// The refusal of a sender that lacks a right.
    static func without(_ right: Rights) -> Failure {
        Failure(
            code: .notAuthorized,
            text: "that needs the right \(right.names), which this connection does not have: connect as the user who runs the front")
    }
}
