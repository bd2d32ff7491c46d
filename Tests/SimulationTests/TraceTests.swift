//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Simulation
import TestSupport
import Testing

@Suite("What a world tells of itself")
struct TraceTests {
    @Test("with each action of the front stands the event that caused it, and a told world is the same world")
    func events() async throws {
        let (reported, silent) = try await onOwnThread { (Seeds.run(1, isTraced: true), Seeds.run(1)) }
        #expect(reported.fingerprint == silent.fingerprint && silent.trace.isEmpty)
        var received: Set<Substring> = []
        var (actions, orphans) = (0, 0)
        for line in reported.trace {
            guard let match = line.firstMatch(of: /(front \d+ event=\d+)(: | -> )/) else { continue }
            if match.2 == ": " {
                received.insert(match.1)
            } else {
                actions += 1
                if !received.contains(match.1) { orphans += 1 }
            }
        }
        #expect(actions > 1_000 && orphans == 0)
        #expect(reported.trace.contains { $0.contains(" -> record granted") } && reported.trace.contains { $0.contains(": clientSent ") })
    }
}
