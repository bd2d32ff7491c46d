//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("every state of a feed that waits with everything that can happen to it")
struct WaitingFeedsTableTests {
    /// How the feed `a` stands before; the feed `b` waits for the loader `x` all the time, and is not to be looked at.
    ///
    /// `waits`: for `x`; `due`: the same, and it is to be looked at; `gone`: it was, and has stopped waiting since; `moved`: it was, and
    /// waits for `y` since.
    enum Start: CaseIterable {
        case absent, waits, due, gone, moved
    }

    /// What happens then: it waits for a loader, or no more; it is to be looked at, or all that wait for a loader are; the next one is
    /// taken.
    enum Event: CaseIterable {
        case waitForX, waitForY, end, look, lookAtX, lookAtY, lookAtOther, next
    }

    /// What becomes of each start by each event, in the order of `Event`: what is answered, how many wait for `x` and for `y`, and which
    /// are to be looked at.
    static let table: [Start: [String]] = [
        .absent: ["2 0 -", "1 1 -", "1 0 -", "1 0 -", "1: 1 0 b", "0: 1 0 -", "0: 1 0 -", "none: 1 0 -"],
        .waits: ["2 0 -", "1 1 -", "1 0 -", "2 0 a", "2: 2 0 ba", "0: 2 0 -", "0: 2 0 -", "none: 2 0 -"],
        // Each is looked at once, in the order in which that was said.
        .due: ["2 0 a", "1 1 a", "1 0 -", "2 0 a", "2: 2 0 ab", "0: 2 0 a", "0: 2 0 a", "a: 2 0 -"],
        // One that has stopped waiting leaves nothing behind.
        .gone: ["2 0 -", "1 1 -", "1 0 -", "1 0 -", "1: 1 0 b", "0: 1 0 -", "0: 1 0 -", "none: 1 0 -"],
        .moved: ["2 0 a", "1 1 a", "1 0 -", "1 1 a", "1: 1 1 ab", "1: 1 1 a", "0: 1 1 a", "a: 1 1 -"],
    ]

    private let (a, b): (FeedKey, FeedKey)

    init() throws {
        (a, b) = (try #require(FeedKey(name: "a", parameters: [])), try #require(FeedKey(name: "b", parameters: [])))
    }

    private func feeds(_ start: Start) -> WaitingFeeds {
        var feeds = WaitingFeeds()
        feeds.note(b, waitsFor: "x")
        guard start != .absent else { return feeds }
        feeds.note(a, waitsFor: "x")
        guard start != .waits else { return feeds }
        feeds.lookAgain(at: a)
        if start == .gone { feeds.note(a, waitsFor: nil) }
        if start == .moved { feeds.note(a, waitsFor: "y") }
        return feeds
    }

    private func meet(_ event: Event, _ feeds: inout WaitingFeeds) -> String? {
        switch event {
        case .waitForX: feeds.note(a, waitsFor: "x")
        case .waitForY: feeds.note(a, waitsFor: "y")
        case .end: feeds.note(a, waitsFor: nil)
        case .look: feeds.lookAgain(at: a)
        case .lookAtX: return "\(feeds.lookAgain(atThoseOf: "x"))"
        case .lookAtY: return "\(feeds.lookAgain(atThoseOf: "y"))"
        case .lookAtOther: return "\(feeds.lookAgain(atThoseOf: "z"))"
        case .next: return feeds.next()?.name ?? "none"
        }
        return nil
    }

    private func text(_ feeds: WaitingFeeds) -> String {
        var (rest, asked) = (feeds, feeds)
        let hadDue = rest.hasDue
        var due = ""
        while let key = rest.next() { due += key.name }
        let (x, y) = (asked.lookAgain(atThoseOf: "x"), asked.lookAgain(atThoseOf: "y"))
        #expect(feeds.count == x + y && rest.count == x + y && !rest.hasDue)
        // What was looked at may be looked at again.
        #expect(rest.lookAgain(atThoseOf: "x") == x && rest.next() != nil)
        #expect(hadDue == !due.isEmpty)
        return "\(x) \(y) " + (due.isEmpty ? "-" : due)
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) {
        let row = Event.allCases.map { event in
            var feeds = feeds(start)
            let answer = meet(event, &feeds).map { $0 + ": " } ?? ""
            return answer + text(feeds)
        }
        #expect(row == Self.table[start], "\(start)")
    }

    @Test("of hundreds that are to be looked at, those that stop waiting are passed over, and the others keep their order")
    func many() throws {
        let keys = try (100..<400).map { try #require(FeedKey(name: "f\($0)", parameters: [])) }
        var feeds = WaitingFeeds()
        for key in keys { feeds.note(key, waitsFor: "x") }
        #expect(feeds.lookAgain(atThoseOf: "x") == keys.count)
        let first = (0..<50).map { _ in feeds.next() }
        #expect(first == Array(keys.prefix(50)))
        let staying = keys.dropFirst(50).enumerated().filter { $0.offset.isMultiple(of: 7) }.map(\.element)
        for key in keys where !staying.contains(key) { feeds.note(key, waitsFor: nil) }
        feeds.lookAgain(at: keys[50])
        #expect(feeds.count == staying.count)
        var rest: [FeedKey] = []
        while let key = feeds.next() { rest.append(key) }
        #expect(rest == staying && !feeds.hasDue)
    }
}
