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
