//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

// What is on its way to peers, bounded: frames that slow ones have not taken, and parts of snapshots.

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
        // Else it would have two places when it is slow again.
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

/// The snapshots that are on their way: at most one of each topic for each session, bounded in all, found in constant time.
struct SnapshotTable {
    private let limit: Int
    private let byteLimit: Int
    private let peerByteLimit: Int
    private var byteCount = 0
    private var queues: [SnapshotKey: SnapshotQueue] = [:]
    private(set) var keysOfPeer: [PeerID: Set<SnapshotKey>] = [:]
    private var byteCounts: [PeerID: Int] = [:]
    /// Those that have a deadline, by number.
    private var watched: [UInt64: SnapshotKey] = [:]
    private var lastNumber: UInt64 = 0
    /// Numbers whose snapshots have ended since that was asked last.
    private var ended: [UInt64] = []

    /// A table that keeps so many snapshots. A connection's first one is kept however large it is, further ones only while all of its together
    /// have at most `peerByteLimit` bytes; and beside the first one of all, only while all together have at most `byteLimit` bytes.
    init(limit: Int, byteLimit: Int = .max, peerByteLimit: Int) {
        self.limit = limit
        self.byteLimit = byteLimit
        self.peerByteLimit = peerByteLimit
    }

    /// Snapshots that are on their way.
    var count: Int { queues.count }

    /// Begins a snapshot, in place of an unfinished one of the same topic for the same session; false: the bound is reached.
    mutating func begin(_ queue: SnapshotQueue) -> Bool {
        end(queue.key)
        let waiting = byteCounts[queue.key.peer] ?? 0
        guard queues.count < limit, waiting == 0 || waiting + queue.byteCount <= peerByteLimit else { return false }
        guard byteCount == 0 || byteCount + queue.byteCount <= byteLimit else { return false }
        byteCount += queue.byteCount
        queues[queue.key] = queue
        keysOfPeer[queue.key.peer, default: []].insert(queue.key)
        byteCounts[queue.key.peer, default: 0] += queue.byteCount
        return true
    }

    /// The parts that may go now, so that at most so many are unread by the client. The last ones need no confirmation to be forgotten.
    mutating func takeParts(_ key: SnapshotKey, inFlight limit: Int, at now: MonotonicTime) -> [[UInt8]]? {
        guard var queue = queues[key] else { return nil }
        let count = min(queue.parts.count, max(0, limit - queue.inFlight))
        let parts = Array(queue.parts.prefix(count))
        queue.parts.removeFirst(count)
        queue.inFlight += count
        queue.touchedAt = now
        if queue.parts.isEmpty { end(key) } else { queues[key] = queue }
        return parts
    }

    /// The event that brought the question; that of the start if it is not on its way.
    func cause(of key: SnapshotKey) -> EventID { queues[key]?.cause ?? .start }

    /// The client has read a part; false: no part of that topic is left for its session.
    mutating func confirm(_ key: SnapshotKey, at now: MonotonicTime) -> Bool {
        guard let queue = queues[key] else { return false }
        // A client may confirm more parts than it was sent.
        queues[key]?.inFlight = max(0, queue.inFlight - 1)
        queues[key]?.touchedAt = now
        return true
    }

    /// Nothing more of it is sent.
    mutating func end(_ key: SnapshotKey) {
        guard let queue = queues.removeValue(forKey: key) else { return }
        byteCount -= queue.byteCount
        if queue.number != 0 {
            watched[queue.number] = nil
            ended.append(queue.number)
        }
        byteCounts[key.peer, default: 0] -= queue.byteCount
        keysOfPeer[key.peer]?.remove(key)
        guard keysOfPeer[key.peer]?.isEmpty == true else { return }
        keysOfPeer[key.peer] = nil
        byteCounts[key.peer] = nil
    }

    /// The client is lost.
    mutating func forget(_ peer: PeerID) {
        for key in keysOfPeer[peer] ?? [] { end(key) }
    }

    /// A snapshot is to have a deadline, if parts of it are left: its number; nil: it has ended.
    mutating func watch(_ key: SnapshotKey) -> UInt64? {
        guard queues[key] != nil else { return nil }
        lastNumber += 1
        queues[key]?.number = lastNumber
        watched[lastNumber] = key
        return lastNumber
    }

    /// Numbers that need no deadline any more.
    mutating func takeEnded() -> [UInt64] {
        guard !ended.isEmpty else { return [] }
        defer { ended.removeAll(keepingCapacity: true) }
        return ended
    }

    /// Ends a snapshot of which no part was read for so long.
    /// - Returns: when it is to be looked at again; nil: it has ended.
    mutating func expire(_ number: UInt64, at now: MonotonicTime, after length: Duration) -> MonotonicTime? {
        guard let key = watched[number], let queue = queues[key] else { return nil }
        let end = queue.touchedAt.advanced(by: length)
        guard now >= end else { return end }
        self.end(key)
        return nil
    }
}

/// Whose snapshot of what. Sessions of one connection that ask for the same topic have each their own.
struct SnapshotKey: Hashable {
    let peer: PeerID
    let session: SessionID
    let topic: Topic
}

/// The parts of a snapshot that one session has not been sent yet, and how many are on their way.
struct SnapshotQueue {
    let key: SnapshotKey
    /// Encoded, each to be put behind an envelope for this client; shared with others who asked in the same turn.
    var parts: [[UInt8]]
    /// Bytes of all items, also of those that are sent already.
    let byteCount: Int
    var inFlight = 0
    /// What its deadline is found by; 0: it has none.
    var number: UInt64 = 0
    /// When it began or a part was read last.
    var touchedAt: MonotonicTime
    /// The event that brought the question.
    var cause = EventID.start
}

/// A topic's items as of a turn in encoded parts, shared by everybody who asks for them in that turn.
///
/// After a restart of the front a thousand observers ask at once: to encode the same items for each of them would delay all jobs.
struct SnapshotImage {
    /// What makes two snapshots of a turn the same bytes.
    struct Shape: Hashable {
        let topic: Topic
        /// The topic as it was asked for, where that was another text.
        let asked: String?
        /// Bytes of items that one part takes.
        let partByteLimit: Int
    }

    /// Each to be put behind an envelope for the client that asked.
    let parts: [[UInt8]]
    /// Bytes of all items with their keys.
    let byteCount: Int

    /// Cuts the items into parts and encodes each.
    init(_ shape: Shape, of live: LiveTopic, _ codec: some EnvelopeCodec) {
        var groups: [[TopicItem]] = [[]]
        var (byteCount, total) = (0, 0)
        for item in live.items {
            let size = item.roughByteCount
            if byteCount + size > shape.partByteLimit, groups.last?.isEmpty == false {
                groups.append([])
                byteCount = 0
            }
            groups[groups.count - 1].append(item)
            byteCount += size
            total += size
        }
        self.byteCount = total
        parts = groups.enumerated().map { index, items in
            codec.encode(
                FrontMessage.SnapshotPart(
                    topic: shape.topic, asked: shape.asked, sequence: live.sequence, checksum: live.checksum, part: UInt32(index),
                    partCount: UInt32(groups.count), items: items))
        }
    }
}
