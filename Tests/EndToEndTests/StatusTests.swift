//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEndCommands {
    @Suite("Status", .serialized, .timeLimit(.minutes(10)))
    struct StatusTests {
        @Test("tells one failure behind more newer jobs than a look at the queue would pass, and where to see it")
        func failureBehindMany() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            try await scenario.gantry("job", "submit", "sleep", "--argument", "soon", "--wait", code: 10)
            #expect(try await scenario.gantry("job", "submit", "nobody-offers-this", "--count", "300000").lines.count == 300_000)
            let status = try await scenario.gantry("status", "--output", "json").json()
            let failures = try #require(status["failures"] as? [[String: Any]])
            #expect(failures.count == 1 && failures.first?["code"] as? String == "invalidData" && failures.first?["count"] as? Int == 1)
            #expect(try await scenario.gantry("status").output.contains("\nfailures  invalidData 1\n"))
            let list = try await scenario.gantry("job", "list", "--state", "failed", "--output", "json").items()
            #expect(list.compactMap { $0["id"] as? String } == ["1"])
            up.send(.kill)
            _ = try await up.exit()
        }
    }
}
