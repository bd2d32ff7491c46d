//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("the search for a session that gives its place")
struct UnusedSearchTableTests {
    /// One search over a few sessions: what each says, by one letter, and which one is found after which were looked at.
    ///
    /// `k`: keeps its place; `m`: may give it; `g`: gives it; `.`: it has ended, and its place is empty.
    static let findings: [(sessions: String, found: String, looked: String)] = [
        ("", "-", ""),
        (".", "-", ""),
        ("k", "-", "1"),
        ("m", "1", "1"),
        ("g", "1", "1"),
        ("kkk", "-", "1-3"),
        ("kmk", "2", "1-3"),
        ("kmm", "2", "1-3"),
        // One that gives its place goes before all that may, and ends the search.
        ("mkg", "3", "1-3"),
        ("mggm", "2", "1-2"),
        ("kgkm", "2", "1-2"),
        (".m.k", "2", "2 4"),
        ("k..g", "4", "1 4"),
        ("...", "-", ""),
    ]

    /// Searches one after the other, over so many sessions that all keep their places: which ones each looks at.
    static let turns: [(sessions: UInt64, looked: [String])] = [
        (0, ["", ""]),
        (1, ["1", "1"]),
        (63, ["1-63", "1-63"]),
        (64, ["1-64", "1-64"]),
        // The next goes on behind, and begins again behind the last one.
        (65, ["1-64", "65 1-63", "64-65 1-62"]),
        (128, ["1-64", "65-128", "1-64"]),
        (150, ["1-64", "65-128", "129-150 1-42", "43-106"]),
    ]

    private func order(_ count: UInt64) -> ArrivalOrder<SessionID> {
        var order = ArrivalOrder<SessionID>()
        for number in 0..<count { order.append(SessionID(number + 1)) }
        return order
    }

    /// Numbers that follow each other as one range.
    private func ranges(_ ids: [SessionID]) -> String {
        var ranges: [ClosedRange<UInt64>] = []
        for id in ids.map(\.rawValue) {
            if let last = ranges.last, last.upperBound + 1 == id {
                ranges[ranges.count - 1] = last.lowerBound...id
            } else {
                ranges.append(id...id)
            }
        }
        return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: " ")
    }

    private func search(
        _ unused: inout UnusedSearch, _ order: ArrivalOrder<SessionID>, _ finding: (SessionID) -> UnusedSearch.Finding = { _ in .keeps }
    ) -> (found: String, looked: String) {
        var looked: [SessionID] = []
        let found = unused.next(in: order) { id in
            looked.append(id)
            return finding(id)
        }
        return (found.map { "\($0.rawValue)" } ?? "-", ranges(looked))
    }

    @Test("what a search finds, and whom it looks at", arguments: findings.indices)
    func finding(row: Int) {
        let (sessions, found, looked) = Self.findings[row]
        let letters = Array(sessions)
        var order = order(UInt64(letters.count))
        for (place, letter) in letters.enumerated() where letter == "." { order.remove(SessionID(UInt64(place) + 1)) }
        var unused = UnusedSearch()
        let searched = search(&unused, order) { id in
            switch letters[Int(id.rawValue) - 1] {
            case "g": .gives
            case "m": .mayGive
            default: .keeps
            }
        }
        #expect(searched == (found, looked), "\(sessions)")
    }

    @Test("each search looks at some, and the next one at those behind them", arguments: turns.indices)
    func turn(row: Int) {
        let (sessions, looked) = Self.turns[row]
        let order = order(sessions)
        var unused = UnusedSearch()
        #expect(UnusedSearch.looks(in: order) == min(64, Int(sessions)))
        #expect(looked.map { _ in search(&unused, order).looked } == looked, "\(sessions)")
    }

    @Test("a search that found one at once goes on as far behind as any other; the first that may give counts by its turn, not by its age")
    func goesOn() {
        let order = order(150)
        var unused = UnusedSearch()
        let searched = (0..<3).map { _ in
            search(&unused, order) { [10, 130].contains($0.rawValue) ? .mayGive : $0 == SessionID(100) ? .gives : .keeps }
        }
        #expect(searched.map(\.found) == ["10", "100", "130"])
        #expect(searched.map(\.looked) == ["1-64", "65-100", "129-150 1-42"])
    }

    @Test("sessions that came behind the last one that was looked at are the next, and its place is counted from the first again")
    func morePlaces() {
        var order = order(128)
        var unused = UnusedSearch()
        for _ in 0..<2 { _ = search(&unused, order) }
        for number in UInt64(129)...150 { order.append(SessionID(number)) }
        #expect(search(&unused, order).looked == "129-150 1-42")
        for number in UInt64(151)...250 { order.append(SessionID(number)) }
        #expect(search(&unused, order).looked == "43-106")
    }

    @Test("when sessions have ended meanwhile the search goes on within the places that are left")
    func fewerPlaces() {
        var order = order(150)
        var unused = UnusedSearch()
        for _ in 0..<2 { _ = search(&unused, order) }
        for number in 1...100 { unused.remove(SessionID(UInt64(number)), from: &order) }
        // The gaps were closed once, when more than half was empty: 74 places are left, of which 24 are empty again.
        #expect(order.placeCount == 74)
        #expect(search(&unused, order).looked == "129-150 101-118")
        #expect(search(&unused, order).looked == "119-150 101-108")
        // All that were left to go on behind have ended too.
        for number in 101...150 { unused.remove(SessionID(UInt64(number)), from: &order) }
        for number in 151...220 { order.append(SessionID(UInt64(number))) }
        #expect(search(&unused, order).looked == "151-178")
    }
}
