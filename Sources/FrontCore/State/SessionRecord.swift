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
    /// Replies to requests that changed something, by number, until the client says that it has them.
    var replies: Deque<KeptReply> = []
    /// The lowest number that the client had not been answered.
    var lowestUnanswered: UInt64 = 1
    /// The turn at which a checkpoint stored it.
    var storedTurn: UInt64 = 0

    // What follows is not durable.

    /// The connection that speaks for it now.
    var peer: PeerID = .none
    /// The largest frame that its client takes.
    var largestFrame = 1 << 20
    /// When it was heard last.
    var heardAt = MonotonicTime(nanoseconds: 0)
    /// Views that it wishes to be kept.
    var attachments: Set<AttachedView> = []

    /// A view of a feed that a session is attached to.
    struct AttachedView: Hashable {
        let key: FeedKey
        let view: String
    }

    init(id: SessionID, label: String, role: String) {
        self.id = id
        self.label = label
        self.role = role
    }

    /// The kept reply to a request.
    func reply(to number: RequestNumber) -> KeptReply? {
        if let last = replies.last, last.number < number { return nil }
        return replies.first { $0.number == number }
    }

    /// Keeps a reply; numbers may come in any order within the window.
    mutating func keep(_ kept: KeptReply) {
        if let last = replies.last, last.number >= kept.number {
            guard !replies.contains(where: { $0.number == kept.number }) else { return }
            let place = replies.firstIndex { $0.number > kept.number } ?? replies.endIndex
            replies.insert(kept, at: place)
        } else {
            replies.append(kept)
        }
    }

    /// Forgets replies that the client has.
    mutating func forget(below number: UInt64) {
        guard number > lowestUnanswered else { return }
        lowestUnanswered = number
        while let first = replies.first, first.number.rawValue < number { replies.removeFirst() }
    }
}
