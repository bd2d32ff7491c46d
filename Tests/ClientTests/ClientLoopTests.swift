//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Testing

@testable import Client

@Suite("The turn of a client")
struct ClientLoopTests {
    @Test("a topic beyond the limit is refused by name, and the others are observed")
    func topicLimit() {
        var world = LoopWorld.opened()
        let limit = type(of: world.loop).topicLimit
        for number in 0..<UInt64(limit) { world.turn(.observe(.job(JobID(number + 1)))) }
        #expect(world.loop.replicas.count == limit)
        world.notices = []
        world.turn(.observe(.workers))
        guard case .topicFailed(.workers, let error)? = world.notices.first, world.notices.count == 1 else {
            Issue.record("told: \(world.notices)")
            return
        }
        #expect(error.code == .busy && error.isRetryable)
        #expect(error.context.contains("\(limit)"))
        world.turn(.unobserve(.job(JobID(1))), .observe(.workers))
        #expect(world.loop.replicas.last?.topic == .workers)
    }
}
