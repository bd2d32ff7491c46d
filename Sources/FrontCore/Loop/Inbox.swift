//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

/// Frames that were read and are not handled yet: a queue for each peer, bounded in bytes, and the order in which peers have their turn.
///
/// One that sends much waits at its own bound: the socket is then left unread, so that it loses nothing and is slowed down; so it is when all
/// have sent too much together. Should that last for longer than `closedMilliseconds`, the socket is read again, for the others, and what
/// comes from those who wait at a bound is dropped as if it had been lost on the way.
struct Inbox<Envelope> {
    /// A frame as it was read.
    struct Frame {
        let principal: Principal
        /// The body; nil: the message had the wrong number of frames.
        let bytes: [UInt8]?

        /// What it takes, empty frames too.
        var roughByteCount: Int { RoughSize.record + (bytes?.count ?? 0) }

        /// The body of a message that has one.
        func body() throws(CodecError) -> [UInt8] {
            guard let bytes else { throw CodecError(what: "a message", reason: "it has other frames than one envelope") }
            return bytes
        }
    }

    /// A frame of which some messages are left.
    struct OpenFrame {
        let principal: Principal
        var envelope: Envelope
        /// What it takes in memory, roughly: far more than as it was sent, where its messages are small.
        let byteCount: Int
        /// The message that is handled next.
        var next: Int
    }

    private struct Queue {
        var open: OpenFrame?
        var frames: Deque<Frame> = []
        var byteCount = 0
        /// Whether a frame of this peer was dropped: what follows it is dropped too until the queue is empty, so that order holds.
        var isDropping = false
        /// Whether nothing can be sent to the peer any more.
        var isGone = false
    }

    /// A frame up to here is opened at any time: whoever sends such waits for nobody's large ones.
    private static var smallByteCount: Int { 512 }
    /// What a peer may have here in small frames though there is no room for more of others.
    private static var littleByteCount: Int { 16 * smallByteCount }

    private let peerByteLimit: Int
    private let byteLimit: Int
    private let closedMilliseconds: Int64
    private var queues: [PeerID: Queue] = [:]
    /// Peers that have something, in the order of their turns.
    private var turns: Deque<PeerID> = []
    /// Peers at their bound.
    private var fullCount = 0
    /// Since when turns have begun with a peer at its bound; nil: the last one did not.
    private var closedSince: MonotonicTime?
    /// Whether that has lasted too long for the others.
    private var isOverdue = false
    /// Bytes of all frames that wait, those that are handled in part included.
    private(set) var byteCount = 0
    /// Bytes of frames that are handled in part, as they are in memory.
    private(set) var openByteCount = 0

    /// An inbox that takes so many bytes of one peer, and of all together; one frame of each peer always has a place.
    /// - Parameter closedMilliseconds: how long those at a bound may keep the socket from being read.
    init(peerByteLimit: Int, byteLimit: Int, closedMilliseconds: Int64) {
        self.peerByteLimit = peerByteLimit
        self.byteLimit = byteLimit
        self.closedMilliseconds = closedMilliseconds
    }

    /// Nothing waits.
    var isEmpty: Bool { queues.isEmpty }

    /// Whether the socket may be read: there is room for what comes, or there has been none for too long.
    ///
    /// What is opened has a bound of its own. Counted here it would keep everybody out until the last message of some large frames is done.
    var mayRead: Bool { !isClosed || isOverdue }

    /// Whether a peer is at its bound, or all together are.
    private var isClosed: Bool { fullCount > 0 || unopenedByteCount >= byteLimit }

    /// Bytes of the frames that nobody has opened yet.
    var unopenedByteCount: Int { byteCount - openByteCount }

    /// A turn begins.
    mutating func noteTime(_ now: MonotonicTime) {
        closedSince = isClosed ? closedSince ?? now : nil
        isOverdue = closedSince.map { now.milliseconds(since: $0) >= closedMilliseconds } ?? false
    }

    private mutating func append(_ frame: Frame, of peer: PeerID) {
        let size = frame.roughByteCount
        if queues[peer] == nil { turns.append(peer) }
        queues[peer, default: Queue()].frames.append(frame)
        change(by: size, of: peer)
    }

    /// Keeps a frame, unless the bound is reached: then it is dropped as if it had been lost on the way. A small one of a peer that has
    /// little here always has a place, so that many who send much keep nobody from being heard.
    mutating func appendIfRoom(_ frame: Frame, of peer: PeerID) {
        let isSmall = (frame.bytes?.count ?? 0) <= Self.smallByteCount
        if let queue = queues[peer] {
            guard !queue.isDropping else { return }
            let hasPlace = unopenedByteCount < byteLimit || isSmall && queue.byteCount < Self.littleByteCount
            guard hasPlace, queue.byteCount < peerByteLimit else {
                queues[peer]?.isDropping = true
                return
            }
        } else {
            guard unopenedByteCount < byteLimit || isSmall else { return }
        }
        append(frame, of: peer)
    }

    /// The peer whose turn it is; nil: nothing waits. `endTurn` follows.
    mutating func beginTurn() -> PeerID? { turns.popFirst() }

    /// The peer has had its share; if more is left it has another turn after the others.
    mutating func endTurn(of peer: PeerID) {
        guard let queue = queues[peer] else { return }
        if queue.open == nil, queue.frames.isEmpty { queues[peer] = nil } else { turns.append(peer) }
    }

    /// What is left of the peer's oldest frame, taken out.
    mutating func takeOpen(of peer: PeerID) -> OpenFrame? {
        guard let open = queues[peer]?.open else { return nil }
        queues[peer]?.open = nil
        openByteCount -= open.byteCount
        change(by: -open.byteCount, of: peer)
        return open
    }

    /// Puts back what is left of the peer's oldest frame.
    mutating func putBack(_ open: OpenFrame, of peer: PeerID) {
        queues[peer]?.open = open
        openByteCount += open.byteCount
        change(by: open.byteCount, of: peer)
    }

    /// The peer's next whole frame, taken out.
    ///
    /// A large one has to wait while as many bytes are open as may be read at all: opened it may take many times what it took as it was
    /// sent, and each peer may have one.
    mutating func takeFrame(of peer: PeerID) -> Frame? {
        if openByteCount >= byteLimit, let bytes = queues[peer]?.frames.first?.bytes, bytes.count > Self.smallByteCount { return nil }
        guard let frame = queues[peer]?.frames.popFirst() else { return nil }
        change(by: -frame.roughByteCount, of: peer)
        return frame
    }

    /// Whether a whole frame of the peer waits.
    func hasFrame(of peer: PeerID) -> Bool { queues[peer].map { !$0.frames.isEmpty } ?? false }

    /// Nothing can be sent to the peer any more.
    mutating func noteGone(_ peer: PeerID) { queues[peer]?.isGone = true }

    /// Whether nothing can be sent to the peer any more.
    func isGone(_ peer: PeerID) -> Bool { queues[peer]?.isGone == true }

    private mutating func change(by size: Int, of peer: PeerID) {
        guard let before = queues[peer]?.byteCount else { return }
        let after = before + size
        queues[peer]?.byteCount = after
        byteCount += size
        if before < peerByteLimit, after >= peerByteLimit { fullCount += 1 }
        if before >= peerByteLimit, after < peerByteLimit { fullCount -= 1 }
    }
}
