//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("every state of a snapshot on its way with everything that can happen to it")
struct SnapshotStateTableTests {
    /// Where it is before. `waiting`: none of its three parts was sent; `watched`: the same, with a deadline; `sent`: two parts were sent, and
    /// more may not; `read`: the client has read one of them.
    enum Start: CaseIterable {
        case absent, waiting, watched, sent, read
    }

    /// What happens then. `…Other`: to one of the same topic in another session, or on another connection.
    enum Event: CaseIterable {
        case begin, beginOther, beginLarge, take, takeOther, confirm, confirmOther, watch, watchOther, end, endOther, lost, lostOther
        case expireEarly, expire, expireUnknown
    }

    /// What becomes of each start by each event, in the order of `Event`: how many snapshots there are, how many parts the client would be sent
    /// then, and the answer. What is said of one that is not there is answered by `-`, and changes nothing.
    static let table: [Start: [String]] = [
        .absent: [
            "1 2: yes", "1 none: yes", "1 none: yes", "0 none: -", "0 none: -", "0 none: -", "0 none: -", "0 none: -", "0 none: -",
            "0 none", "0 none", "0 none", "0 none", "0 none: -", "0 none: -", "0 none: -",
        ],
        .waiting: [
            "1 2: yes", "2 2: yes", "1 2: -", "1 0: 2", "1 2: -", "1 2: yes", "1 2: -", "1 2: 1", "1 2: -", "0 none", "1 2", "0 none",
            "1 2", "1 2: -", "1 2: -", "1 2: -",
        ],
        .watched: [
            "1 2: yes gone 1", "2 2: yes", "1 2: -", "1 0: 2", "1 2: -", "1 2: yes", "1 2: -", "1 2: 2", "1 2: -", "0 none gone 1", "1 2",
            "0 none gone 1", "1 2", "1 2: in 60", "0 none: - gone 1", "1 2: -",
        ],
        .sent: [
            "1 2: yes gone 1", "2 0: yes", "1 0: -", "1 0: 0", "1 0: -", "1 1: yes", "1 0: -", "1 0: 2", "1 0: -", "0 none gone 1", "1 0",
            "0 none gone 1", "1 0", "1 0: in 60", "0 none: - gone 1", "1 0: -",
        ],
        .read: [
            "1 2: yes gone 1", "2 1: yes", "1 1: -", "0 none: 1 gone 1", "1 1: -", "1 1: yes", "1 1: -", "1 1: 2", "1 1: -",
            "0 none gone 1", "1 1", "0 none gone 1", "1 1", "1 1: in 65", "0 none: - gone 1", "1 1: -",
        ],
    ]

    private static let (peer, other) = (PeerID(7), PeerID(8))
    private static let key = SnapshotKey(peer: peer, session: SessionID(1), topic: .jobs)
    private static let otherKey = SnapshotKey(peer: peer, session: SessionID(2), topic: .jobs)
    private static let begun = MonotonicTime(nanoseconds: 0)
    private static let later = begun.advanced(by: .seconds(5))

    private static func queue(_ key: SnapshotKey, byteCount: Int = 10) -> SnapshotQueue {
        SnapshotQueue(key: key, parts: [[1], [2], [3]], byteCount: byteCount, touchedAt: begun, cause: EventID.start.advanced())
    }

    private static func number(_ table: SnapshotTable, _ start: Start) -> UInt64 { start == .absent || start == .waiting ? 9 : 1 }

    private func table(_ start: Start) -> SnapshotTable {
        var table = SnapshotTable(limit: 2, byteLimit: 100, peerByteLimit: 50)
        if start == .absent { return table }
        _ = table.begin(Self.queue(Self.key))
        if start == .waiting { return table }
        _ = table.watch(Self.key)
        if start == .watched { return table }
        _ = table.takeParts(Self.key, inFlight: 2, at: Self.begun)
        if start == .read { _ = table.confirm(Self.key, at: Self.later) }
        return table
    }

    private func meet(_ event: Event, _ table: inout SnapshotTable, _ start: Start) -> String {
        func text(_ parts: [[UInt8]]?) -> String { parts.map { "\($0.count)" } ?? "-" }
        func text(_ number: UInt64?) -> String { number.map { "\($0)" } ?? "-" }
        func text(_ isSo: Bool) -> String { isSo ? "yes" : "-" }
        func expired(_ number: UInt64, after seconds: Int64) -> String {
            let again = table.expire(number, at: Self.begun.advanced(by: .seconds(seconds)), after: .seconds(60))
            return again.map { "in \($0.duration(since: Self.begun).components.seconds)" } ?? "-"
        }
        switch event {
        case .begin: return text(table.begin(Self.queue(Self.key)))
        case .beginOther: return text(table.begin(Self.queue(Self.otherKey)))
        case .beginLarge: return text(table.begin(Self.queue(Self.otherKey, byteCount: 51)))
        case .take: return text(table.takeParts(Self.key, inFlight: 2, at: Self.begun))
        case .takeOther: return text(table.takeParts(Self.otherKey, inFlight: 2, at: Self.begun))
        case .confirm: return text(table.confirm(Self.key, at: Self.begun))
        case .confirmOther: return text(table.confirm(Self.otherKey, at: Self.begun))
        case .watch: return text(table.watch(Self.key))
        case .watchOther: return text(table.watch(Self.otherKey))
        case .end: table.end(Self.key)
        case .endOther: table.end(Self.otherKey)
        case .lost: table.forget(Self.peer)
        case .lostOther: table.forget(Self.other)
        case .expireEarly: return expired(Self.number(table, start), after: 59)
        case .expire: return expired(Self.number(table, start), after: 65)
        case .expireUnknown: return expired(9, after: 65)
        }
        return ""
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) throws {
        let row = Event.allCases.map { event in
            var table = table(start)
            let answer = meet(event, &table, start)
            let (count, ended) = (table.count, table.takeEnded().map { " gone \($0)" }.joined())
            #expect(table.keysOfPeer.values.reduce(0) { $0 + $1.count } == count, "\(start) and \(event)")
            let parts = table.takeParts(Self.key, inFlight: 2, at: Self.begun).map { "\($0.count)" } ?? "none"
            return "\(count) \(parts)\(answer.isEmpty ? "" : ": \(answer)")\(ended)"
        }
        #expect(row == Self.table[start], "\(start)")
    }
}
