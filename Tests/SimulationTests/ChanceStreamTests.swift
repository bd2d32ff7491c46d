//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import Simulation

@Suite("The streams of chance of a world")
struct ChanceStreamTests {
    private func numbers(_ stream: ChanceStream, of seed: UInt64) -> [UInt64] {
        var random = SplitMix64(stream, of: seed)
        return (0..<4).map { _ in random.next() }
    }

    @Test("no two of them have a number in common at their beginning, be it in one world or in two")
    func apart() {
        let all = Seeds.standard.flatMap { seed in ChanceStream.allCases.flatMap { numbers($0, of: seed) } }
        #expect(Set(all).count == all.count)
    }

    @Test("each is the same every time")
    func same() {
        for stream in ChanceStream.allCases { #expect(numbers(stream, of: 1) == numbers(stream, of: 1)) }
    }
}
