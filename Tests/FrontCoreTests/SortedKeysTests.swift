//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import FrontCore

@Suite("Keys in order")
struct SortedKeysTests {
    /// Numbers below a limit, each once, in an order that a seed decides.
    private func shuffled(_ limit: Int, _ seed: UInt64) -> [Int] {
        var state = seed
        var numbers = Array(0..<limit)
        for index in numbers.indices.reversed() {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            numbers.swapAt(index, Int(state >> 33) % (index + 1))
        }
        return numbers
    }

    @Test("whatever comes and goes, they are those of a sorted set, and a page begins behind any key", arguments: [3, 600, 5_000])
    func order(limit: Int) {
        var keys = SortedKeys<Int>()
        var present: Set<Int> = []
        for (step, number) in shuffled(limit, 7).enumerated() {
            keys.insert(number * 2)
            keys.insert(number * 2)
            present.insert(number * 2)
            if step % 3 == 2 {
                let gone = shuffled(limit, UInt64(step))[0] * 2
                keys.remove(gone)
                present.remove(gone)
            }
        }
        let sorted = present.sorted()
        #expect(Array(keys.keys(after: nil)) == sorted)
        #expect(keys.count == sorted.count)
        for key in stride(from: -1, through: limit * 2, by: max(1, limit / 100)) {
            #expect(Array(keys.keys(after: key).prefix(5)) == Array(sorted.filter { $0 > key }.prefix(5)), "behind \(key)")
        }
    }

    @Test("they are read one by one: for the first few nothing is gathered")
    func pages() {
        var keys = SortedKeys<Int>()
        for number in 0..<2_000 { keys.insert(number) }
        let page = keys.keys(after: 1_000)
        #expect(!((page as Any) is [Int]))
        #expect(Array(page.prefix(3)) == [1_001, 1_002, 1_003])
        #expect(Array(page) == Array(1_001..<2_000))
    }

    @Test("nothing is behind the last one, and in none there is nothing")
    func ends() {
        var keys = SortedKeys<Int>()
        #expect(Array(keys.keys(after: nil)).isEmpty)
        #expect(Array(keys.keys(after: 3)).isEmpty)
        keys.remove(3)
        keys.insert(3)
        #expect(Array(keys.keys(after: 3)).isEmpty)
        #expect(Array(keys.keys(after: 2)) == [3])
        keys.remove(3)
        #expect(keys.count == 0)
        #expect(Array(keys.keys(after: nil)).isEmpty)
    }

    @Test("they stand in runs of bounded length, at least half full while none goes; an emptied run is gone")
    func runs() throws {
        func runs(_ keys: SortedKeys<Int>) throws -> [[Int]] { try #require(Mirror(reflecting: keys).descendant("runs") as? [[Int]]) }
        for numbers in [shuffled(5_000, 3), Array(0..<5_000), Array((0..<5_000).reversed())] {
            var keys = SortedKeys<Int>()
            for number in numbers { keys.insert(number) }
            #expect(try runs(keys).allSatisfy { (256...512).contains($0.count) })
            for number in numbers.dropLast() { keys.remove(number) }
            #expect(try runs(keys) == [[numbers[4_999]]] && keys.count == 1)
            keys.remove(numbers[4_999])
            #expect(try runs(keys).isEmpty)
            // It is used again as if it were new.
            keys.insert(7)
            #expect(Array(keys.keys(after: 3)) == [7] && keys.count == 1)
        }
    }
}
