//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@Suite("Packed bytes")
struct PackedBytesTests {
    private func rows(_ packed: PackedBytes) -> [[UInt8]] { packed.map(Array.init) }

    @Test("without rows there are no bytes, and an empty row is a row")
    func empty() {
        #expect(PackedBytes().isEmpty && PackedBytes() == [] && PackedBytes(lengths: [], bytes: []) == [])
        #expect(PackedBytes().startIndex == PackedBytes().endIndex && Array(PackedBytes().ranges) == [])
        let packed: PackedBytes = [[], []]
        #expect(!packed.isEmpty && packed.count == 2 && packed.byteCount == 0)
        #expect(packed.lengths == [0, 0] && Array(packed.ranges) == [0..<0, 0..<0] && rows(packed) == [[], []])
        #expect(packed != [[]])
    }

    @Test("one row is all bytes")
    func one() {
        var packed = PackedBytes()
        packed.append([1, 2, 3])
        #expect(packed.count == 1 && packed.byteCount == 3 && packed.lengths == [3] && packed.bytes == [1, 2, 3])
        #expect(packed[packed.startIndex] == [1, 2, 3] && Array(packed.ranges) == [0..<3])
        #expect(packed == [[1, 2, 3]] && packed == PackedBytes(lengths: [3], bytes: [1, 2, 3]))
    }

    @Test("the same bytes in other rows are another column")
    func boundaries() {
        let packed: PackedBytes = [[1], [2, 3]]
        #expect(packed != [[1, 2], [3]] && packed != [[1], [2, 3], []] && packed.bytes == ([[1, 2], [3]] as PackedBytes).bytes)
    }

    @Test("rows of any collection are added, a slice and a text alike, also rows without bytes")
    func collections() {
        var packed: PackedBytes = [[9]]
        packed.append([1, 2, 3, 4][1...2])
        packed.appendEmpty()
        packed.append("ab".utf8)
        packed.append(EmptyCollection())
        #expect(rows(packed) == [[9], [2, 3], [], [97, 98], []])
        #expect(PackedBytes(["ab".utf8, "".utf8]) == [[97, 98], []])
        #expect(PackedBytes(repeating: [5, 6], count: 3) == [[5, 6], [5, 6], [5, 6]])
        #expect(PackedBytes(repeating: [5, 6], count: 0) == [])
    }

    @Test(
        "lengths that do not add up to the bytes make nothing, also where their sum is that of the bytes in 32 bits",
        arguments: [
            ([1, 2], 2), ([1, 2], 4), ([], 1), ([0], 1), ([1], 0), ([.max, 1], 0), ([.max, .max, 5], 3), ([1 << 31, 1 << 31], 0),
        ]
            as [([UInt32], Int)])
    func misfit(lengths: [UInt32], byteCount: Int) {
        #expect(PackedBytes(lengths: lengths, bytes: Array(repeating: 1, count: byteCount)) == nil)
    }

    @Test("what lengths add up to is more than 32 bits hold")
    func sum() {
        #expect(PackedBytes.byteCount(of: []) == 0)
        #expect(PackedBytes.byteCount(of: [.max, .max, 2]) == 1 << 33)
    }

    @Test("an index says which row it is and where its bytes begin, and steps by rows")
    func indexes() {
        let packed: PackedBytes = [[1, 2], [], [3], [4, 5, 6]]
        #expect(packed.indices.map(\.row) == [0, 1, 2, 3] && packed.indices.map(\.offset) == [0, 2, 2, 3])
        #expect(packed.endIndex.row == 4 && packed.endIndex.offset == 6)
        #expect(packed.index(packed.startIndex, offsetBy: 4) == packed.endIndex)
        let third = packed.index(packed.startIndex, offsetBy: 2)
        #expect(packed[third] == [3] && packed.range(at: third) == 2..<3 && packed.distance(from: packed.startIndex, to: third) == 2)
        // Two rows that begin at the same byte are two.
        #expect(packed.index(after: packed.startIndex) < third && packed.index(after: packed.startIndex) != third)
    }

    @Test("some rows of a column are added as they are, those at its end and none among them")
    func slices() {
        let packed: PackedBytes = [[1, 2], [], [3], [4, 5, 6]]
        let (start, second, last) = (
            packed.startIndex, packed.index(after: packed.startIndex), packed.index(packed.startIndex, offsetBy: 3)
        )
        var taken: PackedBytes = [[9]]
        taken.append(contentsOf: packed[second..<last])
        taken.append(contentsOf: packed[start..<start])
        taken.append(contentsOf: packed[last...])
        taken.append(contentsOf: packed.prefix(1))
        #expect(taken == [[9], [], [3], [4, 5, 6], [1, 2]])
        taken.append(contentsOf: taken[start..<second])
        #expect(taken.count == 6 && taken.byteCount == 8 && rows(taken).last == [9])
    }

    @Test("columns are joined, a column to itself too, and what was joined stays as it was")
    func concatenation() {
        var packed: PackedBytes = [[1], []]
        let other: PackedBytes = [[2, 3]]
        packed.append(contentsOf: other)
        packed.append(contentsOf: PackedBytes())
        #expect(packed == [[1], [], [2, 3]] && other == [[2, 3]])
        packed.append(contentsOf: packed)
        #expect(packed == [[1], [], [2, 3], [1], [], [2, 3]])
    }

    @Test("rows that lie one behind the other are added at once, without what is behind them")
    func together() {
        var packed: PackedBytes = [[9]]
        packed.append(lengths: [1, 0, 2], of: [7, 1, 2, 3, 8][1...])
        packed.append(lengths: [], of: [1, 2])
        packed.append(lengths: [2, 5, 7][2...], of: [1, 2, 3, 4, 5, 6, 7])
        #expect(packed == [[9], [1], [], [2, 3], [1, 2, 3, 4, 5, 6, 7]])
    }

    @Test("whatever is added in whichever way, the rows are those of an array of arrays", arguments: UInt64(0)..<40)
    func model(seed: UInt64) {
        var numbers = SplitMix64(mixing: seed)
        var (packed, plain) = (PackedBytes(), [[UInt8]]())
        func row() -> [UInt8] { (0..<Int.random(in: 0...9, using: &numbers)).map { _ in UInt8.random(in: 0...255, using: &numbers) } }
        for _ in 0..<60 {
            let from = Int.random(in: 0...plain.count, using: &numbers)
            let to = Int.random(in: from...plain.count, using: &numbers)
            let (start, end) = (packed.index(packed.startIndex, offsetBy: from), packed.index(packed.startIndex, offsetBy: to))
            switch Int.random(in: 0..<8, using: &numbers) {
            case 0:
                packed.append(contentsOf: packed[start..<end])
                plain += plain[from..<to]
            case 1:
                let some = (0..<3).map { _ in row() }
                packed.append(contentsOf: PackedBytes(some))
                plain += some
            case 2:
                let some = (0..<3).map { _ in row() }
                packed.append(lengths: some.map { UInt32($0.count) }[...], of: some.flatMap { $0 }[...])
                plain += some
            case 3 where plain.count > 50:
                var rest = PackedBytes()
                rest.append(contentsOf: packed[start..<end])
                (packed, plain) = (rest, Array(plain[from..<to]))
            case 4:
                packed.appendEmpty()
                plain.append([])
            default:
                let one = row()
                packed.append(one)
                plain.append(one)
            }
            #expect(rows(packed) == plain && packed.count == plain.count && packed.isEmpty == plain.isEmpty)
            #expect(packed.ranges.map { Array(packed.bytes[$0]) } == plain && packed.byteCount == plain.joined().count)
            #expect(packed == PackedBytes(plain) && packed == PackedBytes(lengths: packed.lengths, bytes: packed.bytes))
        }
    }
}
