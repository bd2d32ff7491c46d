//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport
import Testing

extension EndToEndCommands {
    /// `Scripts/pairs`, which CONTRIBUTING names.
    @Suite("Pairs of measurements", .serialized, .timeLimit(.minutes(10)))
    struct PairsTests {
        private func pairs(_ programs: String...) async throws -> Answer {
            let scenario = try Scenario()
            return try await scenario.end(
                of: scenario.start(program: CheckoutFolder.file("Scripts/pairs").path, programs + ["--quick", "--row", "memory"]))
        }

        @Test("two builds are measured one after the other, and each figure has a ratio between its least and its greatest")
        func ratios() async throws {
            let ended = try await pairs(Scenario.gantry, Scenario.gantry)
            #expect(ended.code == 0, "\(ended.errors)")
            let line = try #require(ended.lines.first { $0.contains("jobsPerSecond") })
            let numbers = line.split(separator: " ").dropFirst(2).compactMap { Double($0.filter { $0 != "," }) }
            try #require(numbers.count == 5, "\(line)")
            #expect(numbers[0] > 0 && abs(numbers[2] - numbers[1] / numbers[0]) < 0.02)
            #expect(numbers[3] == numbers[2] && numbers[4] == numbers[2])
        }

        @Test("a program that is none, or that measures nothing, is named and ends it")
        func wrong() async throws {
            let missing = try await pairs("/nowhere/gantry", Scenario.gantry)
            #expect(missing.code == 1 && missing.errors.contains("/nowhere/gantry cannot be run"), "\(missing.errors)")
            let silent = try await pairs("/usr/bin/true", Scenario.gantry)
            #expect(silent.code == 1 && silent.errors.contains("no figure from /usr/bin/true bench jobs"), "\(silent.errors)")
        }
    }
}
