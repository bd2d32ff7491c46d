//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import TestSupport
import Testing

/// SQLite itself under power cuts: `Tests/CPowerCut` stands between it and the disk and forgets what was not synced.
/// `swift run -c release --static-swift-stdlib PowerCutProbe FOLDER 2000 1` cuts another two thousand times.
@Suite("Power cuts", .timeLimit(.minutes(20)))
struct PowerCutTests {
    /// Cuts of each seed: two thousand in all.
    private static let cuts = 500

    @Test("two thousand power cuts lose no acknowledged turn", arguments: 1...4)
    func cuts(seed: Int) async throws {
        let folder = try TemporaryFolder()
        let ending = try await OptimizedProgram.run("PowerCutProbe", [folder.path, String(Self.cuts), String(seed)])
        let decision = ending.output
        #expect(ending.status == 0, "\(decision)")
        #expect(decision.hasPrefix("\(Self.cuts) cuts, "), "\(decision)")
        let numbers = decision.split(separator: " ").compactMap { Int($0) }
        // Cuts that hit nothing would prove nothing.
        #expect(numbers.count == 3 && numbers[1] > 2 * Self.cuts && numbers[2] > Self.cuts / 2, "\(decision)")
    }
}
