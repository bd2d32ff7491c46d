//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// Something that the loop refused, dropped or gave up, for a log. Nothing is decided by it: who was meant repeats it, or is told.
public struct LoopNote: Hashable, Sendable {
    /// What it was.
    public enum Kind: Hashable, Sendable {
        /// A frame that had come could not be read.
        case frameRefused(FrontChannel, CodecError)
        /// A frame of so many bytes was not kept for a slow peer: too much waits for it, or for all.
        case frameDropped(byteCount: Int)
        /// A frame of so many bytes could not be sent: there is no such peer any more.
        case peerGone(byteCount: Int)
        /// A worker is not counted on any more: its lease or its process has ended, or it has closed.
        case workerGivenUp(WorkerID)
    }

    /// What it was.
    public let kind: Kind
    /// Who was to be sent something, or had sent it; nil: it is about no connection.
    public let peer: PeerID?
    /// The event that it goes back to.
    public let cause: EventID

    /// A note of something.
    public init(kind: Kind, peer: PeerID?, cause: EventID) {
        (self.kind, self.peer, self.cause) = (kind, peer, cause)
    }

    /// The line of a log, without the fields beside it.
    public var text: String {
        switch kind {
        case .frameRefused(let channel, let error): "a frame of \(channel) is refused: \(error.description)"
        case .frameDropped(let byteCount): "a frame of \(byteCount) bytes is dropped: too much waits for its receiver, who asks again"
        case .peerGone(let byteCount): "a frame of \(byteCount) bytes cannot be sent: its receiver is gone"
        case .workerGivenUp(let worker): "worker \(worker) is given up"
        }
    }
}
