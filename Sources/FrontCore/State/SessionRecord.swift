//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

/// A session: what outlives its connection.
struct SessionRecord {
    let id: SessionID
    var label: String
    var role: String
    /// The number of the hello that opened it; 0: none.
    var nonce: UInt64
    /// Replies to requests that changed something, by number, until the client says that it has them.
    var replies: Deque<KeptReply> = []
    /// About how many bytes they have.
    private(set) var keptByteCount = 0
    /// The lowest number that the client had not been answered.
    var lowestUnanswered: UInt64 = 1
    /// The turn at which a checkpoint stored it.
    var storedTurn: UInt64 = 0

    // What follows is not durable.

    /// The connection that speaks for it now.
    var peer: PeerID = .none
    /// The largest frame that its client takes.
    var largestFrame = 1 << 20
    /// What the sessions' clock showed when it was heard last.
    var heardAt = SessionClock.Reading.zero
    /// The highest number that was seen in this life; nil: none was, the session is of an earlier life.
    var highestNumber: UInt64?
    /// The highest number of a change that was refused without the refusal being kept: what comes again up to it, and has no kept reply, was
    /// told to have done nothing and never will. A restart may forget it, because a session has to be resumed after one.
    private(set) var refusedThrough: UInt64 = 0
    /// Replies to requests that only read, by number, until the client says that it has them: a repeat is not run again.
    private(set) var held: Deque<KeptReply> = []
    /// How many of them are more than a refusal, and about how many bytes they have.
    private(set) var readings = 0
    private(set) var readingByteCount = 0
    /// Views that it wishes to be kept.
    var attachments: Set<AttachedView> = []

    /// A view of a feed that a session is attached to.
    struct AttachedView: Hashable {
        let key: FeedKey
        let view: String
    }

    init(id: SessionID, label: String, role: String, nonce: UInt64) {
        self.id = id
        self.label = label
        self.role = role
        self.nonce = nonce
    }

    /// The kept reply to a request.
    func reply(to number: RequestNumber) -> KeptReply? {
        Self.find(number, in: replies) ?? Self.find(number, in: held)
    }

    private static func find(_ number: RequestNumber, in replies: Deque<KeptReply>) -> KeptReply? {
        // Nearly always the number is a new one.
        if let last = replies.last, last.number >= number { return replies.first { $0.number == number } }
        return nil
    }

    /// Holds the reply to a request that only reads.
    mutating func hold(_ kept: KeptReply) {
        Self.insert(kept, into: &held)
        count(kept, 1)
    }

    /// A change was refused, and the refusal is not kept.
    mutating func noteRefusal(of number: RequestNumber) { refusedThrough = max(refusedThrough, number.rawValue) }

    /// Keeps a reply; numbers may come in any order within the window.
    mutating func keep(_ kept: KeptReply) {
        if Self.insert(kept, into: &replies) { keptByteCount += kept.roughByteCount }
    }

    /// - Returns: whether it was not there yet.
    @discardableResult
    private static func insert(_ kept: KeptReply, into replies: inout Deque<KeptReply>) -> Bool {
        if let last = replies.last, last.number >= kept.number {
            guard !replies.contains(where: { $0.number == kept.number }) else { return false }
            let place = replies.firstIndex { $0.number > kept.number } ?? replies.endIndex
            replies.insert(kept, at: place)
        } else {
            replies.append(kept)
        }
        return true
    }

    /// Forgets replies that the client has.
    mutating func forget(below number: UInt64) {
        guard number > lowestUnanswered else { return }
        lowestUnanswered = number
        while let first = replies.first, first.number.rawValue < number {
            keptByteCount -= first.roughByteCount
            replies.removeFirst()
        }
        while let first = held.first, first.number.rawValue < number {
            count(first, -1)
            held.removeFirst()
        }
    }

    private mutating func count(_ kept: KeptReply, _ change: Int) {
        if case .refused = kept.reply { return }
        readings += change
        readingByteCount += change * kept.reply.roughByteCount
    }
}
