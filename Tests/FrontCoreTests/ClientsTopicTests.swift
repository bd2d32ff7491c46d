//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("The topic clients")
struct ClientsTopicTests {
    private func clients(_ front: FrontHarness) -> ClientsSummary? {
        if case .clients(let summary)? = front.machine.item("clients", of: .clients) { summary } else { nil }
    }

    /// A hello from a connection of its own; the actions that follow.
    private func greet(_ front: inout FrontHarness, _ peer: UInt64, _ label: String) -> [FrontAction] {
        let hello = ClientMessage.Hello(label: label)
        return front.handle(.clientSent(PeerID(peer), Principal.everything, ClientEnvelope(messages: [.hello(hello)])))
    }

    @Test("each session counts under its label from its hello to its end, over a restart too, and observers are told")
    func counted() {
        var front = FrontHarness()
        #expect(clients(front) == ClientsSummary([]) && front.machine.itemKeys(of: .clients) == ["clients"])
        for (peer, label) in [(11, "web"), (12, "batch"), (13, "web")] as [(UInt64, String)] {
            let isTold = greet(&front, peer, label).contains { if case .changed(.clients, key: "clients") = $0 { true } else { false } }
            #expect(isTold)
        }
        let all = ClientsSummary([ClientCount("web", 2), ClientCount("batch", 1)])
        #expect(clients(front) == all && clients(front.restarted()) == all)
        let ids = Array(front.machine.state.sessions.ids)
        front.handle(.clientSent(PeerID(11), Principal.everything, ClientEnvelope(session: ids[0], messages: [.close])))
        #expect(clients(front) == ClientsSummary([ClientCount("batch", 1), ClientCount("web", 1)]))
        #expect(clients(front.restarted()) == clients(front))
    }

    @Test("a hundred labels are listed, and the others are summed up")
    func many() {
        var front = FrontHarness()
        for number in UInt64(0)..<120 { _ = greet(&front, 100 + number, "client \(1_000 + number)") }
        _ = greet(&front, 300, "client 1119")
        #expect(clients(front)?.clients.count == 100 && clients(front)?.clients.first == ClientCount("client 1119", 2))
        #expect(clients(front)?.otherSessions == 20)
    }
}
