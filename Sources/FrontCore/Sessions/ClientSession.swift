//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

/// A session of a client: what outlives its connection. It knows its requests and replies, and the connection that owns it.
struct ClientSession {
    /// The connection that owns it.
    ///
    /// - away: none, since the connection was lost or the session is of an earlier epoch. Moves to here when its client says hello.
    /// - here: that connection. Moves to here with another one when the client says hello there, and to away when it is lost.
    ///
    /// In both it ends when its client sends close or is silent for too long, or when another session needs its place.
    enum State: Hashable {
        case away
        case here(PeerID)
    }

    /// A view of a feed that a session is attached to.
    struct AttachedView: Hashable, Comparable {
        let key: FeedKey
        let view: String

        static func < (one: Self, two: Self) -> Bool { (one.key, one.view) < (two.key, two.view) }
    }

    let id: SessionID
    let label: String
    /// The name under which its jobs share the workers.
    let client: String
    /// The number of the hello that opened it; 0: none.
    let nonce: UInt64
    /// Replies to requests that changed something, by number, until the client says that it has them.
    private(set) var replies: Deque<RetainedReply> = []
    /// About how many bytes they have.
    private(set) var retainedByteCount = 0
    /// The lowest number that the client had not been answered.
    private(set) var lowestUnanswered: UInt64 = 1
    /// The turn at which a checkpoint stored it.
    var storedTurn: UInt64 = 0

    // What follows is not durable.

    private(set) var state = State.away
    /// The largest frame that its client takes; before it has said hello in this epoch, what a client takes that says nothing else.
    private(set) var largestFrame = MessageBounds.frameByteCount
    /// What the sessions' clock showed when its client last sent something.
    private(set) var receivedAt = SessionClock.Reading.zero
    /// The highest number that was seen in this epoch; nil: none was, the session is of an earlier epoch.
    private var highestNumber: UInt64?
    /// The highest number of a change that was refused without the refusal being kept: a repeat up to it without a retained reply was
    /// refused, did nothing, and never will. A restart may forget it, because a session has to be resumed after one.
    private(set) var refusedThrough: UInt64 = 0
    /// Replies to requests that only read, by number, until the client says that it has them: a repeat is not run again.
    private(set) var held: Deque<RetainedReply> = []
    /// How many of them are more than a refusal, and about how many bytes they have.
    private(set) var readings = 0
    private(set) var readingByteCount = 0
    /// Views that it is attached to.
    private(set) var attachments: Set<AttachedView> = []

    init(_ opened: JournalEntry.SessionOpened) { (id, label, client, nonce) = (opened.session, opened.label, opened.client, opened.nonce) }

    /// The entry that makes it.
    var opened: JournalEntry.SessionOpened { JournalEntry.SessionOpened(id, label: label, nonce: nonce, client: client) }

    /// The connection that owns it; none: it has none.
    var peer: PeerID {
        switch state {
        case .away: .none
        case .here(let peer): peer
        }
    }

    /// Whether nothing was ever asked in it, as far as this epoch and the journal know: nobody misses it.
    var isUnused: Bool { highestNumber == 0 && lowestUnanswered <= 1 && replies.isEmpty && attachments.isEmpty }
}

// MARK: What happens to it

extension ClientSession {
    /// It was opened in this epoch: no number was seen before.
    mutating func begin() { highestNumber = 0 }

    /// Its client has sent something.
    mutating func receive(at reading: SessionClock.Reading) { receivedAt = reading }

    /// Its client says hello by a connection.
    mutating func takeUp(by peer: PeerID, largestFrame: UInt32) {
        state = .here(peer)
        self.largestFrame = Int(largestFrame)
    }

    /// The connection is lost; what it carried waits for the next one.
    mutating func lose() { state = .away }

    /// Attaches it to a view.
    /// - Returns: whether it was not attached before.
    mutating func attach(_ view: AttachedView) -> Bool { attachments.insert(view).inserted }

    /// Detaches it from a view.
    /// - Returns: whether it was attached.
    mutating func detach(_ view: AttachedView) -> Bool { attachments.remove(view) != nil }

    /// Ends all its attachments.
    /// - Returns: the views, in the order of keys.
    mutating func lapse() -> [AttachedView] {
        guard !attachments.isEmpty else { return [] }
        defer { attachments = [] }
        return attachments.sorted()
    }
}

// MARK: Numbers

extension ClientSession {
    /// Takes the numbers of a request; they are compared by subtraction, because a client may say any.
    mutating func admit(_ number: RequestNumber, lowest: RequestNumber, fingerprint: UInt64, window: UInt64) -> Admission {
        if let fault = fault(of: number.rawValue, lowest: lowest.rawValue, window: window) {
            // It is answered all the same, so the client's mark may pass it.
            note(number)
            return .refused(fault)
        }
        note(number)
        forget(below: lowest.rawValue)
        guard let retained = reply(to: number) else { return .run }
        return retained.fingerprint == fingerprint ? .repeated(retained) : .refused(.otherBody)
    }

    /// Takes the mark of a heartbeat; what is wrong with it leaves everything as it is.
    mutating func takeMark(_ lowest: RequestNumber) -> AdmissionFault? {
        if let fault = fault(ofMark: lowest.rawValue) { return fault }
        forget(below: lowest.rawValue)
        return nil
    }

    private func fault(of number: UInt64, lowest: UInt64, window: UInt64) -> AdmissionFault? {
        if number == 0 { return .noNumber }
        if lowest > number { return .markAboveNumber }
        if let fault = fault(ofMark: lowest) { return fault }
        let mark = max(lowest, lowestUnanswered)
        if number < mark { return .belowMark(mark) }
        return number - mark < window ? nil : .outsideWindow
    }

    /// A client has only replies to requests that came. What an earlier epoch saw of a session is not known: its first mark is believed.
    private func fault(ofMark mark: UInt64) -> AdmissionFault? {
        guard let highest = highestNumber, mark > 0, mark - 1 > highest else { return nil }
        return .markAboveSeen(highest: highest)
    }

    private mutating func note(_ number: RequestNumber) { highestNumber = max(highestNumber ?? 0, number.rawValue) }
}

// MARK: Replies

extension ClientSession {
    /// The retained reply to a request.
    func reply(to number: RequestNumber) -> RetainedReply? {
        Self.find(number, in: replies) ?? Self.find(number, in: held)
    }

    private static func find(_ number: RequestNumber, in replies: Deque<RetainedReply>) -> RetainedReply? {
        // Nearly always the number is a new one.
        if let last = replies.last, last.number >= number { return replies.first { $0.number == number } }
        return nil
    }

    /// Holds the reply to a request that only reads.
    mutating func hold(_ retained: RetainedReply) {
        // A copy of the request may have waited beside it.
        if isWanted(retained), Self.insert(retained, into: &held) { count(retained, 1) }
    }

    /// A change was refused, and the refusal is not kept.
    mutating func noteRefusal(of number: RequestNumber) { refusedThrough = max(refusedThrough, number.rawValue) }

    /// Keeps a reply; numbers may come in any order within the window.
    mutating func keep(_ retained: RetainedReply) {
        if isWanted(retained), Self.insert(retained, into: &replies) { retainedByteCount += retained.roughByteCount }
    }

    /// Whether its client may ask for a reply again: it has said of smaller numbers that it waits for none, also while the request waited here.
    private func isWanted(_ retained: RetainedReply) -> Bool { retained.number.rawValue >= lowestUnanswered }

    /// - Returns: whether it was not there yet.
    private static func insert(_ retained: RetainedReply, into replies: inout Deque<RetainedReply>) -> Bool {
        if let last = replies.last, last.number >= retained.number {
            guard !replies.contains(where: { $0.number == retained.number }) else { return false }
            let place = replies.firstIndex { $0.number > retained.number } ?? replies.endIndex
            replies.insert(retained, at: place)
        } else {
            replies.append(retained)
        }
        return true
    }

    /// Forgets replies that the client has.
    mutating func forget(below number: UInt64) {
        lowestUnanswered = max(lowestUnanswered, number)
        while let first = replies.first, first.number.rawValue < number {
            retainedByteCount -= first.roughByteCount
            replies.removeFirst()
        }
        while let first = held.first, first.number.rawValue < number {
            count(first, -1)
            held.removeFirst()
        }
    }

    private mutating func count(_ retained: RetainedReply, _ change: Int) {
        // A refusal has done no work, and is small.
        if retained.reply.isRefused { return }
        readings += change
        readingByteCount += change * retained.reply.roughByteCount
    }
}

extension ClientSession {
    /// What is counted over all sessions.
    struct Amounts {
        let retainedByteCount: Int
        let attachmentCount: Int
    }

    var amounts: Amounts { Amounts(retainedByteCount: retainedByteCount, attachmentCount: attachments.count) }

    /// Changes the session where it lies, and says what was counted of it before and is after.
    mutating func counted<Value>(_ change: (inout Self) -> Value) -> (before: Amounts, after: Amounts, value: Value) {
        let before = amounts
        let value = change(&self)
        return (before, amounts, value)
    }
}

/// What becomes of a numbered request when it arrives.
enum Admission: Equatable {
    /// It is new: run it.
    case run
    /// It is a repeat: this was replied.
    case repeated(RetainedReply)
    /// It cannot be run under that number.
    case refused(AdmissionFault)
}

/// What is wrong with the numbers of a request or a heartbeat.
enum AdmissionFault: Equatable {
    /// Numbers begin at 1.
    case noNumber
    /// The mark is above the request's own number, so the request would be one whose reply the client has.
    case markAboveNumber
    /// The mark is above what the front has ever answered.
    case markAboveSeen(highest: UInt64)
    /// The client said before that it has that reply.
    case belowMark(UInt64)
    /// Too many requests are unanswered.
    case outsideWindow
    /// The number was another request's.
    case otherBody

    /// What is sent to the client.
    var code: FailureCode {
        switch self {
        case .noNumber, .markAboveNumber, .markAboveSeen, .belowMark: .invalidData
        case .outsideWindow: .busy
        case .otherBody: .conflict
        }
    }

    /// The same for people.
    func text(_ number: RequestNumber, _ lowest: RequestNumber, window: UInt64) -> String {
        switch self {
        case .noNumber: "a request's number is at least 1"
        case .markAboveNumber: "lowest_unanswered is \(lowest), which is above the request's own number \(number)"
        case .markAboveSeen(let highest): "lowest_unanswered is \(lowest), but no request above \(highest) has come"
        case .belowMark(let mark): "request \(number) is below \(mark), up to which the client said that it has all replies"
        case .outsideWindow: "more than \(window) requests are unanswered (limit): wait for replies first"
        case .otherBody: "number \(number) of this session was another request: give each request a number of its own"
        }
    }
}
