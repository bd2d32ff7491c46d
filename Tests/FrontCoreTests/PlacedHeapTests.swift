//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import FrontCore

@Suite("Numbers in order of a key that can change")
struct PlacedHeapTests {
    /// The numbers from 0 on, each with itself as its key.
    private func heap(_ count: Int) -> PlacedHeap<Int> {
        var heap = PlacedHeap<Int>()
        var places = Array(repeating: 0, count: count)
        for number in 0..<count { _ = heap.set(number, to: number, &places) }
        return heap
    }

    @Test("those before a key are all found where that takes no more looks than may be, each beside the two behind it")
    func found() {
        for limit in [7, 8, 100] {
            let sample = heap(7).items(before: 3, looks: limit)
            #expect(sample.items.sorted() == [0, 1, 2] && sample.looked == 7 && sample.ofAll(10) == 10, "\(limit) looks")
        }
        let first = heap(7).items(before: 0, looks: 1)
        #expect(first.items == [] && first.looked == 1)
        #expect(heap(0).items(before: 9, looks: 1).looked == 0)
    }

    @Test("where it takes more they are found among as many that are picked evenly, which stand for all")
    func picked() {
        let six = heap(7).items(before: 3, looks: 6)
        #expect(six.items == [0, 1, 2] && six.looked == 12 && six.ofAll(12) == 14)
        let three = heap(7).items(before: 3, looks: 3)
        #expect(three.items == [0, 2] && three.looked == 6 && three.ofAll(6) == 14)
    }
}
