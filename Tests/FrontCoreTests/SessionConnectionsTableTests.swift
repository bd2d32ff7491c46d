//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("every state of a client's connection with everything that can happen to it")
struct SessionConnectionsTableTests {
    /// What the connection has before: nothing, session 1, sessions 1 and 2, so much that waits, or both.
    enum Start: CaseIterable {
        case unknown, one, two, full, oneFull
    }

    /// What happens then. Another connection owns session 9: `removeElsewhere` names session 1 there, `removeOther` session 9 here.
    enum Event: CaseIterable {
        case add, remove, removeOther, removeElsewhere, lose, loseOther, fill, fillOther, makeRoom
    }

    /// What becomes of each start by each event, in the order of `Event`: which sessions a loss names, then those of the connection and of
    /// the other one; `!`: nothing more is read for it.
    static let table: [Start: [String]] = [
        .unknown: ["3/9", "-/9", "-/9", "-/9", "-: -/9", "9: -/-", "-!/9", "-/9!", "-/9"],
        .one: ["1 3/9", "-/9", "1/9", "1/9", "1: -/9", "9: 1/-", "1!/9", "1/9!", "1/9"],
        .two: ["1 2 3/9", "2/9", "1 2/9", "1 2/9", "1 2: -/9", "9: 1 2/-", "1 2!/9", "1 2/9!", "1 2/9"],
        // What waits for it does not go with its sessions, but with the connection.
        .full: ["3!/9", "-!/9", "-!/9", "-!/9", "-: -/9", "9: -!/-", "-!/9", "-!/9!", "-/9"],
        .oneFull: ["1 3!/9", "-!/9", "1!/9", "1!/9", "1: -/9", "9: 1!/-", "1!/9", "1!/9!", "1/9"],
    ]

    private static let (peer, other) = (PeerID(1), PeerID(2))

    private func connections(_ start: Start) -> SessionConnections {
        var connections = SessionConnections()
        connections.add(SessionID(9), to: Self.other)
        if [.one, .two, .oneFull].contains(start) { connections.add(SessionID(1), to: Self.peer) }
        if start == .two { connections.add(SessionID(2), to: Self.peer) }
        if start == .full || start == .oneFull { connections.noteFull(Self.peer, true) }
        return connections
    }

    private func meet(_ event: Event, _ connections: inout SessionConnections) -> [SessionID]? {
        switch event {
        case .add: connections.add(SessionID(3), to: Self.peer)
        case .remove: connections.remove(SessionID(1), from: Self.peer)
        case .removeOther: connections.remove(SessionID(9), from: Self.peer)
        case .removeElsewhere: connections.remove(SessionID(1), from: Self.other)
        case .lose: return connections.lose(Self.peer)
        case .loseOther: return connections.lose(Self.other)
        case .fill: connections.noteFull(Self.peer, true)
        case .fillOther: connections.noteFull(Self.other, true)
        case .makeRoom: connections.noteFull(Self.peer, false)
        }
        return nil
    }

    private static func names(_ ids: [SessionID]) -> String {
        ids.isEmpty ? "-" : ids.map { "\($0.rawValue)" }.joined(separator: " ")
    }

    private func text(_ connections: SessionConnections) -> String {
        var rest = connections
        let parts = [Self.peer, Self.other].map { peer in
            let (count, isFull, known) = (rest.count(of: peer), rest.isFull(peer), rest.count)
            let ids = rest.lose(peer)
            // What is counted is what is there, and nothing of it stays.
            #expect(count == ids.count && rest.count == known - (ids.isEmpty ? 0 : 1))
            #expect(rest.count(of: peer) == 0 && !rest.isFull(peer) && rest.lose(peer) == [])
            return Self.names(ids) + (isFull ? "!" : "")
        }
        #expect(rest.count == 0)
        return parts.joined(separator: "/")
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) {
        let row = Event.allCases.map { event in
            var connections = connections(start)
            let lost = meet(event, &connections).map { Self.names($0) + ": " } ?? ""
            return lost + text(connections)
        }
        #expect(row == Self.table[start], "\(start)")
    }
}
