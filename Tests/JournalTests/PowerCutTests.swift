//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport
import Testing

/// SQLite itself under power cuts: `Tests/CPowerCut` stands between it and the disk and forgets what was not synced.
/// `swift run -c release PowerCutProbe FOLDER 2000 1` cuts two thousand times.
@Suite("Power cuts", .timeLimit(.minutes(5)))
struct PowerCutTests {
    @Test("power cuts lose no acknowledged turn", arguments: 1...4)
    func cuts(seed: Int) async throws { try await onOwnThread { try cutAgainAndAgain(seed: seed) } }

    private func cutAgainAndAgain(seed: Int) throws {
        let folder = try TemporaryFolder()
        let probe = try ProbeProcess([folder.path, "100", String(seed)], named: "PowerCutProbe")
        let verdict = try #require(try probe.nextLine())
        #expect(verdict.hasPrefix("100 cuts, "), "\(verdict)")
        let numbers = verdict.split(separator: " ").compactMap { Int($0) }
        // Cuts that hit nothing would prove nothing.
        #expect(numbers.count == 3 && numbers[1] > 200 && numbers[2] > 50, "\(verdict)")
        _ = try probe.waitUntilExit()
    }
}
