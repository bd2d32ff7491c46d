//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

/// Numbered requests from the lowest unanswered one on, with the time when each is to be repeated.
struct InFlightRequests: Sendable {
    private struct Entry: Sendable {
        var content: RequestContent
        let changesState: Bool
        var isAnswered = false
        /// Whether it was repeated on the connection of now.
        var isRepeated = false
        var repeatAt: MonotonicTime
        var backoff: Backoff
    }

    /// Reading requests that may be under way a second time at once. What only reads can wait, and a list costs the front a thousand times
    /// what it costs to ask for it: ten clients that each repeat sixty lists at once are what a slow front dies of.
    static let readingRepeatLimit = 8

    private var entries: Deque<Entry> = []
    private var places: RequestContent.Places = [:]
    private let backoff: Backoff
    private var random: SplitMix64
    private var budget = RepeatBudget()
    private var readingRepeats = 0
    /// Whether a request is due and waits for the answer to another one.
    private var holdsBack = false
    /// The lowest number that has not been answered.
    private(set) var lowest = RequestNumber(1)
    /// No entry is repeated before this.
    private(set) var nextRepeat = MonotonicTime.distantFuture

    init(_ settings: SessionSettings, random: SplitMix64) {
        backoff = Backoff(first: settings.firstRepeat, longest: settings.longestRepeat)
        self.random = random
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Whether another number is inside the window.
    func hasRoom(window: Int) -> Bool { entries.count < window }

    /// Numbers a request and gives the message.
    mutating func add(_ content: RequestContent, at now: MonotonicTime) -> ClientMessage {
        var entry = Entry(content: content, changesState: content.changesState, repeatAt: now, backoff: backoff)
        entry.repeatAt = now.advanced(by: entry.backoff.next(&random))
        nextRepeat = min(nextRepeat, entry.repeatAt)
        content.note(in: &places, entry: Int(lowest.rawValue) + entries.count)
        entries.append(entry)
        return message(at: entries.count - 1)
    }

    /// Repeats what is due under its old numbers, as far as the budget goes: first what changes something, then what only reads.
    mutating func appendDue(at now: MonotonicTime, into messages: inout [ClientMessage]) {
        guard now >= nextRepeat else { return }
        nextRepeat = .distantFuture
        holdsBack = false
        budget.advance(to: now)
        var byteCount = 0
        for changesState in [true, false] {
            for index in entries.indices where !entries[index].isAnswered && entries[index].changesState == changesState {
                if now >= entries[index].repeatAt, let message = repeated(index, at: now) {
                    messages.append(message)
                    byteCount += entries[index].content.byteCount
                }
                if now < entries[index].repeatAt { nextRepeat = min(nextRepeat, entries[index].repeatAt) }
                // The rest follows when there is room again: all at once may be a whole window of large batches.
                if byteCount >= SessionMachine.collectByteLimit { return nextRepeat = now }
            }
        }
    }

    private mutating func repeated(_ index: Int, at now: MonotonicTime) -> ClientMessage? {
        let isFirst = !entries[index].isRepeated && !entries[index].changesState
        guard !isFirst || readingRepeats < Self.readingRepeatLimit else {
            holdsBack = true
            return nil
        }
        guard budget.take() else {
            (holdsBack, nextRepeat) = (true, min(nextRepeat, budget.refillsAt))
            return nil
        }
        if isFirst { readingRepeats += 1 }
        entries[index].isRepeated = true
        entries[index].repeatAt = now.advanced(by: entries[index].backoff.next(&random))
        return message(at: index)
    }

    /// A new connection works: everything unanswered is due, because what the old one carried is lost. What only reads is not repeated
    /// again soon: the front has it now, and works on it.
    mutating func makeAllDue(at now: MonotonicTime) {
        for index in entries.indices {
            entries[index].repeatAt = now
            entries[index].isRepeated = false
            if entries[index].changesState { entries[index].backoff.reset() } else { entries[index].backoff.slowDown() }
        }
        readingRepeats = 0
        budget.begin()
        nextRepeat = isEmpty ? .distantFuture : now
    }

    /// Marks a number as answered; nil when it was already, or never given out.
    mutating func finish(_ number: RequestNumber) -> RequestContent? {
        guard number >= lowest, number.rawValue - lowest.rawValue < UInt64(entries.count) else { return nil }
        let index = Int(number.rawValue - lowest.rawValue)
        guard !entries[index].isAnswered else { return nil }
        entries[index].isAnswered = true
        if entries[index].isRepeated {
            budget.answered()
            if !entries[index].changesState { readingRepeats -= 1 }
        }
        // This answer has made room for one that waited.
        if holdsBack { nextRepeat = MonotonicTime(nanoseconds: .min) }
        let content = entries[index].content
        content.forget(in: &places)
        // Its bytes go now, since the entry stays for as long as a lower number is open.
        entries[index].content = .takenOut
        while entries.first?.isAnswered == true {
            entries.removeFirst()
            lowest = lowest.advanced()
        }
        if isEmpty { nextRepeat = .distantFuture }
        return content
    }

    /// Removes the waiting call with that id; the request itself goes on, because it may be in effect already.
    mutating func abandon(_ callID: CallID) {
        guard let place = places.removeValue(forKey: callID) else { return }
        entries[place.entry - Int(lowest.rawValue)].content.abandon(owner: place.owner)
    }

    /// Ends the numbering and gives what was unanswered, in order.
    mutating func drain() -> [RequestContent] {
        defer { (entries, places, lowest, nextRepeat, readingRepeats) = ([], [:], RequestNumber(1), .distantFuture, 0) }
        return entries.filter { !$0.isAnswered }.map(\.content)
    }

    private func message(at index: Int) -> ClientMessage {
        let number = lowest.advanced(by: UInt64(index))
        switch entries[index].content {
        case .request(let body, _):
            return .request(ClientMessage.Request(number: number, lowestUnanswered: lowest, body: body))
        case .jobs(let batch):
            var submit = ClientMessage.Submit(
                number: number, lowestUnanswered: lowest, loader: batch.loader, options: batch.options,
                reportsOutcomes: batch.reportsOutcomes, arguments: batch.arguments)
            (submit.takesAnyLoader, submit.repeatsAgain) = (batch.takesAnyLoader, batch.repeatsAgain)
            return .submit(submit)
        }
    }
}

/// How many requests may be repeated now.
///
/// A front that is slow answers late, and a client that then repeats all that is open makes it slower for everybody. So each repeat costs
/// one, and each answer to a repeated request gives two back: while the front keeps up, the whole window is repeated in a few rounds; while
/// it does not, little more than `refill` a second is.
struct RepeatBudget: Hashable, Sendable {
    /// Repeats that may follow each other at once on a connection that has just been found to work.
    static let first = 64
    /// What a second without any answer gives back, up to `first`.
    static let refill = 16
    /// How often that is.
    static let refillPause: Duration = .seconds(1)
    /// What an answer to a repeat gives back: one for the repeat, and one more, so that a front that answers is soon asked for everything.
    static let perAnswer = 2
    /// No budget is larger: no more requests are ever open.
    static let most = 1_024

    private var credit = Self.first
    /// When something is given back without any answer.
    private(set) var refillsAt = MonotonicTime(nanoseconds: .min)

    /// Gives back what time gives.
    mutating func advance(to now: MonotonicTime) {
        guard now >= refillsAt else { return }
        refillsAt = now.advanced(by: Self.refillPause)
        // Never less than before: answers may have earned more than time alone ever gives.
        credit = max(credit, min(credit + Self.refill, Self.first))
    }

    /// Pays for one repeat; false when nothing is left.
    mutating func take() -> Bool {
        guard credit > 0 else { return false }
        credit -= 1
        return true
    }

    /// A repeated request was answered.
    mutating func answered() { credit = min(credit + Self.perAnswer, Self.most) }

    /// A new connection is known to work.
    mutating func begin() { credit = max(credit, Self.first) }
}

/// Pauses between repeats: the first, then doubling, up to the longest.
package struct Backoff: Hashable, Sendable {
    /// The first pause.
    package let first: Duration
    /// The longest pause.
    package let longest: Duration
    private var pause: Duration

    /// Pauses from `first` to `longest`, both above zero.
    package init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
        self.pause = first
    }

    /// The pause to make now; the next one is twice as long.
    package mutating func next() -> Duration {
        defer { pause = min(pause.multiplied(by: 2), longest) }
        return pause
    }

    /// The pause to make now, a quarter longer or shorter by chance: a thousand clients that lost the same front at the same instant must
    /// not ask it again at the same instant.
    mutating func next(_ random: inout SplitMix64) -> Duration {
        let pause = next()
        let quarter = pause.wholeMilliseconds / 4
        return pause + .milliseconds(Int64.random(in: -quarter...quarter, using: &random))
    }

    /// Begins again with the first pause.
    package mutating func reset() { pause = first }

    /// Goes on with the longest pause.
    mutating func slowDown() { pause = longest }
}
