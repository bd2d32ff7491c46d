//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport
import Testing

@Suite("Memory that the front asks for")
struct AllocationTests {
    @Test("a job in steady state costs the front at most two allocations, from its submit to its outcome", arguments: [100, 1_000])
    func perJob(jobsPerSubmit: Int) async throws {
        // Only optimized code counts.
        let probe = try await OptimizedProgram.run("AllocationProbe", [String(jobsPerSubmit), "50"])
        let text = probe.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let perJob = try #require(Double(text), "the probe said: \(text)")
        #expect(perJob <= 2)
        #expect(perJob > 0)
    }
}
