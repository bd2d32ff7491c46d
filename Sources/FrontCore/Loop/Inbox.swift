//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel
import HeapModule

/// Frames that were read and are not handled yet: a queue for each peer, bounded in bytes, and the order in which peers have their turn.
///
/// One that sends much waits at its own bound: the socket is then left unread, so that it loses nothing and is slowed down; so it is when
/// all have sent too much together. Should that last for longer than `closedGracePeriod`, the socket is read again, for the others: what
/// comes from peers at their bound is dropped as if it had been lost on the way, and the frames of a peer that has less here replace the
/// newest frames of the peer that has most.
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
        /// Whether a frame of this peer was dropped: what follows it is dropped too until the queue is empty, so that it is as if the
        /// connection had been cut there.
        var isDropping = false
        /// Whether nothing can be sent to the peer any more.
        var isGone = false

        /// Bytes of the frames that nobody has opened yet.
        var unopenedByteCount: Int { byteCount - (open?.byteCount ?? 0) }
    }

    /// What a peer had when it was looked at; the one that came first of those that have as much.
    private struct Share: Comparable {
        let byteCount: Int
        let place: Int
        let peer: PeerID

        static func < (left: Self, right: Self) -> Bool { (left.byteCount, right.place) < (right.byteCount, left.place) }
    }

    /// A frame up to here is opened at any time, so that it never waits for large ones of others.
    private static var smallByteCount: Int { 512 }
    /// Which part of the room a frame of a usual size may have: 16 KiB of 64 MiB. Thousands of those that nobody would call large find room
    /// together, and opened they take several times what they took.
    private static var usualShare: Int { 4_096 }

    private let peerByteLimit: Int
    private let byteLimit: Int
    private let closedGracePeriod: Duration
    private var queues: [PeerID: Queue] = [:]
    /// Peers that have something, in the order of their turns.
    private var turns: Deque<PeerID> = []
    /// Peers at their bound.
    private var fullCount = 0
    /// Since when, again and again, a peer was at its bound, or all together; nil: neither has been so for as long as either may be.
    private var closedSince: MonotonicTime?
    /// Since when turns have begun with room for everybody; nil: the last one did not.
    private var roomSince: MonotonicTime?
    /// Whether that has lasted too long for the others.
    private var isOverdue = false
    /// Bytes of all frames that wait, those that are handled in part included.
    private(set) var byteCount = 0
    /// Bytes of frames that are handled in part, as they are in memory.
    private(set) var openByteCount = 0
    /// Peers that had more than the average when there was no room left in this turn; nil: there has been room.
    private var crowd: Heap<Share>?

    /// An inbox that takes so many bytes of one peer, and of all together; the frame that fills it is taken whole.
    /// - Parameter closedGracePeriod: how long those at a bound may keep the socket from being read.
    init(peerByteLimit: Int, byteLimit: Int, closedGracePeriod: Duration) {
        self.peerByteLimit = peerByteLimit
        self.byteLimit = byteLimit
        self.closedGracePeriod = closedGracePeriod
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
        if isClosed {
            (closedSince, roomSince) = (closedSince ?? now, nil)
        } else {
            // Room for one frame does not end the shortage: the next frame would block the others for as long again.
            roomSince = roomSince ?? now
            if roomSince.map({ now.duration(since: $0) >= closedGracePeriod }) == true { closedSince = nil }
        }
        isOverdue = closedSince.map { now.duration(since: $0) >= closedGracePeriod } ?? false
        crowd = nil
    }

    private var sharesAboveAverage: Heap<Share> {
        let average = unopenedByteCount / max(1, turns.count)
        return Heap(
            turns.enumerated().compactMap { place, peer in
                let byteCount = queues[peer]?.unopenedByteCount ?? 0
                return byteCount > 0 && byteCount >= average ? Share(byteCount: byteCount, place: place, peer: peer) : nil
            })
    }

    private mutating func append(_ frame: Frame, of peer: PeerID) {
        let size = frame.roughByteCount
        if queues[peer] == nil { turns.append(peer) }
        queues[peer, default: Queue()].frames.append(frame)
        change(by: size, of: peer)
    }

    /// Keeps a frame, unless there is no room for it: then it is dropped as if it had been lost on the way, and what follows it with it.
    mutating func appendIfRoom(_ frame: Frame, of peer: PeerID) {
        guard queues[peer]?.isDropping != true else { return }
        guard queues[peer].map({ $0.byteCount < peerByteLimit }) ?? true, makeRoom(for: frame.roughByteCount, of: peer) else {
            return drop(peer)
        }
        append(frame, of: peer)
    }

    /// Whether there is room for so many bytes, be it the room of peers that have more than this one would have with them.
    private mutating func makeRoom(for size: Int, of peer: PeerID) -> Bool {
        let wanted = (queues[peer]?.unopenedByteCount ?? 0) + size
        while unopenedByteCount >= byteLimit {
            if crowd == nil { crowd = sharesAboveAverage }
            guard let most = crowd?.max else { return false }
            let byteCount = queues[most.peer]?.unopenedByteCount ?? 0
            // It has lost frames since it was listed: it stands where it belongs now.
            guard byteCount == most.byteCount else {
                crowd?.removeMax()
                if byteCount > 0 { crowd?.insert(Share(byteCount: byteCount, place: most.place, peer: most.peer)) }
                continue
            }
            // The newest: what came before it may be handled without it, and what follows is dropped with it, as after a cut.
            guard byteCount > wanted, let newest = queues[most.peer]?.frames.popLast() else { return false }
            change(by: -newest.roughByteCount, of: most.peer)
            drop(most.peer)
        }
        return true
    }

    /// What comes from the peer is dropped until its turn has come and nothing of it is left.
    private mutating func drop(_ peer: PeerID) {
        if queues[peer] == nil { turns.append(peer) }
        queues[peer, default: Queue()].isDropping = true
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
    /// It has to wait while too many bytes are open: opened it may take many times what it took as it was sent, and each peer may have one.
    mutating func takeFrame(of peer: PeerID) -> Frame? {
        guard let next = queues[peer]?.frames.first, openByteCount < openByteLimit(for: next) else { return nil }
        queues[peer]?.frames.removeFirst()
        change(by: -next.roughByteCount, of: peer)
        return next
    }

    /// How many bytes may be open when a frame is opened. Large ones leave half of the room to those of a usual size, up to 16 KiB of 64
    /// MiB, so that many large frames cannot keep others from being handled; small ones may always be opened.
    private func openByteLimit(for frame: Frame) -> Int {
        let byteCount = frame.bytes?.count ?? 0
        if byteCount <= Self.smallByteCount { return .max }
        return byteCount <= byteLimit / Self.usualShare ? byteLimit : byteLimit / 2
    }

    /// The peers of whom something waits, or was dropped, in the order of their turns.
    var waitingPeers: [PeerID] { Array(turns) }

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

extension Inbox {
    /// What a peer's turn finds.
    enum Next {
        /// The peer has nothing, or what it has must wait.
        case nothing
        /// A frame that cannot be read; it is dropped.
        case unreadable(CodecError)
        /// The peer's oldest frame, taken out: what is left of it after its next message has to be put back.
        case frame(OpenFrame)
    }

    /// Takes the peer's oldest frame out, and opens it if that was not done in an earlier turn.
    ///
    /// - Parameters:
    ///   - budget: Pays for the bytes of a frame that is opened, and for one message.
    ///   - messageByteCount: What the messages of an envelope take in memory.
    mutating func takeNext(
        of peer: PeerID, _ budget: inout TurnBudget, decode: ([UInt8]) throws(CodecError) -> Envelope, messageByteCount: (Envelope) -> Int
    ) -> Next {
        if let open = takeOpen(of: peer) {
            budget.take()
            return .frame(open)
        }
        guard let frame = takeFrame(of: peer) else {
            // So the budget ends a turn in which all have to wait.
            if hasFrame(of: peer) { budget.take() }
            return .nothing
        }
        let byteCount = frame.bytes?.count ?? 0
        budget.take()
        budget.take(byteCount: byteCount)
        do throws(CodecError) {
            let envelope = try decode(try frame.body())
            let openByteCount = byteCount + messageByteCount(envelope)
            return .frame(OpenFrame(principal: frame.principal, envelope: envelope, byteCount: openByteCount, next: 0))
        } catch {
            return .unreadable(error)
        }
    }
}
