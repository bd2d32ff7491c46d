//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// The front's sockets. Only the thread that runs the loop uses it.
public protocol FrontTransport: AnyObject {
    /// Returns when a socket can be read, the journal has an event, or the deadline has come; it may return early.
    func wait(until deadline: MonotonicTime?)
    /// The next received message of a channel; nil: it is empty.
    func receive(_ channel: FrontChannel) -> ReceivedFrame?
    /// Hands a frame to a peer without ever waiting.
    func send(_ bytes: [UInt8], to peer: PeerID) -> SendResult
    /// Publishes under a topic; slow observers miss it.
    func publish(_ bytes: [UInt8], under topicFrame: [UInt8])
    /// From now on the end of a process wakes `wait`, and `takeEndedProcess` names it; so it does at once when the process is gone already. What
    /// cannot be known for certain is never said.
    func watch(_ process: ProcessIdentity)
    /// The process is of no interest any more.
    func unwatch(_ process: ProcessIdentity)
    /// A watched process that has ended, each once; nil: no other one.
    func takeEndedProcess() -> ProcessIdentity?
}
