//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

/// What waits for slow peers: frames that their sockets did not take, each peer's in its order, bounded for one peer and for all.
///
/// A peer is
/// - absent: its socket takes what is sent. Moves to slow when a frame is kept for it.
/// - slow: whatever is sent to it is kept behind what waits, and tried again with all others'. Moves to absent when the last frame has left, or
///   when it is forgotten or gone, and all that waited for it with it.
struct Outboxes {
    private let peerByteLimit: Int
    private let byteLimit: Int
    private var boxes: [PeerID: Outbox] = [:]
    /// The slow peers in the order in which they became that.
    private var peers = ArrivalOrder<PeerID>()
    /// Bytes that wait for all of them.
    private(set) var byteCount = 0

    /// Outboxes that keep at most `peerByteLimit` bytes for one peer, and take nothing more once all together have `byteLimit` bytes.
    init(peerByteLimit: Int, byteLimit: Int) {
        self.peerByteLimit = peerByteLimit
        self.byteLimit = byteLimit
    }

    /// Whether nothing waits.
    var isEmpty: Bool { boxes.isEmpty }

    /// Bytes that wait for the slowest peer.
    var largestByteCount: Int { boxes.values.map(\.byteCount).max() ?? 0 }

    /// Whether something waits for a peer: what is sent to it now has to wait behind that.
    func isSlow(_ peer: PeerID) -> Bool { boxes[peer] != nil }

    /// Bytes that wait for a peer.
    func byteCount(for peer: PeerID) -> Int { boxes[peer]?.byteCount ?? 0 }

    /// Keeps a frame; false: it is dropped because a bound is reached.
    mutating func append(_ frame: OutgoingFrame) -> Bool {
        guard byteCount < byteLimit, byteCount(for: frame.peer) + frame.bytes.count <= peerByteLimit else { return false }
        boxes[frame.peer, default: Outbox()].append(frame)
        peers.append(frame.peer)
        byteCount += frame.bytes.count
        return true
    }

    /// Tries again to send what waits, one peer after the other, each as far as its socket takes it.
    /// - Parameter attempt: Hands a frame to its peer's socket; nil: nothing may be sent now.
    /// - Returns: one frame for each peer that no longer exists.
    mutating func send(_ attempt: (OutgoingFrame) -> SendResult?) -> [OutgoingFrame] {
        var lost: [OutgoingFrame] = []
        for peer in peers {
            frames: while let frame = boxes[peer]?.first {
                switch attempt(frame) {
                case nil: return lost
                case .full: break frames
                case .sent: removeFirst(of: peer)
                case .gone:
                    forget(peer)
                    lost.append(frame)
                }
            }
        }
        return lost
    }

    /// A peer is lost: what waited for it is dropped.
    mutating func forget(_ peer: PeerID) {
        guard let box = boxes.removeValue(forKey: peer) else { return }
        byteCount -= box.byteCount
        peers.remove(peer)
    }

    private mutating func removeFirst(of peer: PeerID) {
        byteCount -= boxes[peer]?.removeFirst() ?? 0
        if boxes[peer]?.first == nil { forget(peer) }
    }
}

/// Frames that wait for a slow peer, in our memory.
private struct Outbox {
    private var frames: Deque<OutgoingFrame> = []
    private(set) var byteCount = 0

    /// The frame that is sent next; nil: none waits.
    var first: OutgoingFrame? { frames.first }

    mutating func append(_ frame: OutgoingFrame) {
        frames.append(frame)
        byteCount += frame.bytes.count
    }

    /// - Returns: the bytes of the frame that has left.
    mutating func removeFirst() -> Int {
        guard let frame = frames.popFirst() else { return 0 }
        byteCount -= frame.bytes.count
        return frame.bytes.count
    }
}

/// A frame on its way to a peer.
struct OutgoingFrame {
    let peer: PeerID
    let bytes: [UInt8]
    /// The event behind it; the newest, where it carries what several brought about.
    let cause: EventID
}
