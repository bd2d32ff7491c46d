//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@Suite("SplitMix64")
struct SplitMix64Tests {
    private func numbers(_ random: SplitMix64) -> [UInt64] {
        var random = random
        return (0..<3).map { _ in random.next() }
    }

    @Test("the numbers of a seed are those of the paper on every machine")
    func published() {
        #expect(numbers(SplitMix64(seed: 0)) == [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f])
    }

    @Test("a mixed seed gives the numbers of its standard worlds, and nothing that a neighbor gives")
    func mixed() {
        #expect(numbers(SplitMix64(mixing: 1)) == [0x210a_ee97_dce6_1845, 0xb945_4e59_e3f8_0de1, 0xb9fd_b974_a72d_d0b8])
        let all = (0..<100).flatMap { numbers(SplitMix64(mixing: $0)) }
        #expect(Set(all).count == 300)
        // Seeds a step apart are the same row of numbers where they are not mixed.
        let step: UInt64 = 0x9E37_79B9_7F4A_7C15
        #expect(numbers(SplitMix64(seed: 0))[1] == numbers(SplitMix64(seed: step))[0])
        #expect(numbers(SplitMix64(mixing: 0))[1] != numbers(SplitMix64(mixing: step))[0])
    }

    @Test("a number that stands for something is never 0")
    func nonzero() {
        // The seed whose first number is 0: the state after the step is.
        var random = SplitMix64(seed: 0 &- 0x9E37_79B9_7F4A_7C15)
        var same = random
        #expect(random.next() == 0)
        #expect(same.nextNonzero() == 0xe220_a839_7b1d_cdaf)
    }
}
