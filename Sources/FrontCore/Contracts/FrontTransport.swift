//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// The front's sockets. Only the thread that runs the loop uses it.
package protocol FrontTransport: AnyObject {
    /// Returns when a socket can be read, the journal has an event, or the deadline has come; it may return early.
    func wait(until deadline: MonotonicTime?)
    /// The next received message of a channel; nil: it is empty.
    func receive(_ channel: FrontChannel) -> ReceivedFrame?
    /// Hands a frame to a peer without ever waiting.
    func send(_ bytes: [UInt8], to peer: PeerID) -> SendResult
    /// Publishes under a topic; slow observers miss it.
    func publish(_ bytes: [UInt8], under topicFrame: [UInt8])
    /// From now on the end of a process wakes `wait`, and `takeEndedProcess` names it; so it does at once when the process has already
    /// ended. An end that is not certain is never reported.
    func watch(_ process: ProcessIdentity)
    /// The process is of no interest any more.
    func unwatch(_ process: ProcessIdentity)
    /// A watched process that has ended, each once; nil: no other one.
    func takeEndedProcess() -> ProcessIdentity?
}

/// The front's sockets, as the loop knows them.
package enum FrontChannel: UInt8, Hashable, Sendable, CaseIterable {
    /// Workers: read first, and read empty before leases are looked at.
    case workers = 0
    /// Clients' requests.
    case clients = 1
    /// Subscriptions to topics: one byte, 1 or 0, and the topic's frame.
    case subscriptions = 2
}

/// One message that a socket of the front had received.
package struct ReceivedFrame: Sendable {
    /// Who sent it; none for subscriptions.
    package var peer: PeerID
    /// Who that is.
    package var principal: Principal
    /// The body; nil: the message had the wrong number of frames.
    package var bytes: [UInt8]?

    /// A frame as a socket received it; without a principal it has no rights.
    package init(peer: PeerID, principal: Principal = Principal(), bytes: [UInt8]?) {
        self.peer = peer
        self.principal = principal
        self.bytes = bytes
    }
}

/// What became of a frame that was to be sent. Sent never means received.
package enum SendResult: UInt8, Hashable, Sendable {
    /// The socket has taken it.
    case sent = 0
    /// The peer's pipe is full: keep the frame and try again.
    case full = 1
    /// There is no such peer any more.
    case gone = 2
}

/// The front's clocks.
package protocol FrontClock: AnyObject {
    /// Both clocks, read now.
    func now() -> FrontTime
}

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
    /// Changes feeds, views, jobs, limits and pauses, drains workers, and keeps feeds busy.
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
