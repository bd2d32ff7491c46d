//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

/// Numbered requests from the lowest unanswered one on, with the time when each is to be repeated.
struct RequestLedger: Sendable {
    private struct Entry: Sendable {
        var content: RequestContent
        var isAnswered = false
        var sentAt: MonotonicTime
        var repeatAt: MonotonicTime
        var backoff: Backoff
    }

    private var entries: Deque<Entry> = []
    private let backoff: Backoff
    /// The lowest number that has not been answered.
    private(set) var lowest = RequestNumber(1)
    /// No entry is repeated before this.
    private(set) var nextRepeat = MonotonicTime.distantFuture

    init(_ settings: SessionSettings) { backoff = Backoff(first: settings.firstRepeat, longest: settings.longestRepeat) }

    var isEmpty: Bool { entries.isEmpty }

    /// When the lowest unanswered request was first sent; nil when all are answered.
    var oldestSentAt: MonotonicTime? { entries.first?.sentAt }

    /// Whether another number is inside the window.
    func hasRoom(window: Int) -> Bool { entries.count < window }

    /// Numbers a request and gives the message.
    mutating func add(_ content: RequestContent, at now: MonotonicTime) -> ClientMessage {
        var entry = Entry(content: content, sentAt: now, repeatAt: now, backoff: backoff)
        entry.repeatAt = now.adding(milliseconds: entry.backoff.next())
        nextRepeat = min(nextRepeat, entry.repeatAt)
        entries.append(entry)
        return message(at: entries.count - 1)
    }

    /// Repeats what is due under its old numbers.
    mutating func appendDue(at now: MonotonicTime, into messages: inout [ClientMessage]) {
        guard now >= nextRepeat else { return }
        nextRepeat = .distantFuture
        for index in entries.indices where !entries[index].isAnswered {
            if now >= entries[index].repeatAt {
                entries[index].repeatAt = now.adding(milliseconds: entries[index].backoff.next())
                messages.append(message(at: index))
            }
            nextRepeat = min(nextRepeat, entries[index].repeatAt)
        }
    }

    /// Makes everything unanswered due at once, after a reconnect.
    mutating func makeAllDue(at now: MonotonicTime) {
        for index in entries.indices {
            entries[index].repeatAt = now
            entries[index].backoff.reset()
        }
        nextRepeat = entries.isEmpty ? .distantFuture : now
    }

    /// Marks a number as answered; nil when it was already, or never given out.
    mutating func settle(_ number: RequestNumber) -> RequestContent? {
        guard number >= lowest, number.rawValue - lowest.rawValue < UInt64(entries.count) else { return nil }
        let index = Int(number.rawValue - lowest.rawValue)
        guard !entries[index].isAnswered else { return nil }
        entries[index].isAnswered = true
        let content = entries[index].content
        entries[index].content = .request(.listFeeds(), nil)
        while entries.first?.isAnswered == true {
            entries.removeFirst()
            lowest = lowest.advanced()
        }
        if entries.isEmpty { nextRepeat = .distantFuture }
        return content
    }

    /// Forgets who waits under that ticket; the request itself goes on, because it may be in effect already.
    mutating func abandon(_ ticket: Ticket) {
        for index in entries.indices where entries[index].content.tickets.contains(ticket) { entries[index].content.abandon(ticket) }
    }

    /// Ends the numbering and gives what was unanswered, in order.
    mutating func drain() -> [RequestContent] {
        defer { (entries, lowest, nextRepeat) = ([], RequestNumber(1), .distantFuture) }
        return entries.filter { !$0.isAnswered }.map(\.content)
    }

    private func message(at index: Int) -> ClientMessage {
        let number = lowest.advanced(by: UInt64(index))
        switch entries[index].content {
        case .request(let body, _):
            return .request(ClientMessage.Request(number: number, lowestUnanswered: lowest, body: body))
        case .jobs(let batch):
            return .submit(
                ClientMessage.Submit(
                    number: number, lowestUnanswered: lowest, loader: batch.loader, priority: batch.priority,
                    reportsOutcomes: batch.reportsOutcomes, lengths: batch.lengths, arguments: batch.arguments))
        }
    }
}
