//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Testing

@Suite("Memory that the front asks for")
struct AllocationTests {
    @Test("a job in steady state costs the front at most two allocations, from its submit to its outcome", arguments: [100, 1_000])
    func perJob(jobsPerSubmit: Int) throws {
        // Only optimised code counts: deploy/test builds the probe so, beside the tests.
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let place = own.deletingLastPathComponent().appendingPathComponent("release/AllocationProbe")
        try #require(
            FileManager.default.isExecutableFile(atPath: place.path),
            "no optimised probe: swift build -c release --product AllocationProbe")
        let probe = Process()
        probe.executableURL = place
        probe.arguments = [String(jobsPerSubmit), "50"]
        let pipe = Pipe()
        probe.standardOutput = pipe
        try probe.run()
        let output = try #require(try pipe.fileHandleForReading.readToEnd())
        probe.waitUntilExit()
        let text = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let perJob = try #require(Double(text), "the probe said: \(text)")
        #expect(perJob <= 2)
        #expect(perJob > 0)
    }
}
