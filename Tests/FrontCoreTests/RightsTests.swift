//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import FrontCore

/// The table of who may do what.
@Suite("Rights")
struct RightsTests {
    @Test("follow from where somebody speaks and who they are, as the protocol's table says")
    func table() {
        let everybody: [UInt32?] = [1_000, 0, nil, 1_001]
        func row(_ channel: FrontChannel) -> [Rights] { everybody.map { .of(channel, userID: $0, owner: 1_000) } }
        let owner: Rights = [.observe, .request, .admin]
        #expect(row(.clients) == [owner, owner, [.observe, .request], []])
        #expect(row(.workers) == [.work, .work, .work, []])
        #expect(row(.subscriptions) == [.observe, .observe, .observe, []])
    }

    @Test("a front that root runs lets no other user in")
    func root() {
        #expect(Rights.of(.clients, userID: 1_000, owner: 0).isEmpty && Rights.of(.workers, userID: 1_000, owner: 0).isEmpty)
    }
}
