//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontService

@Suite("Readers that are kept open")
struct RecentReadersTests {
    private func digest(_ number: Int) -> ObjectDigest { ObjectDigest(words: (UInt64(number), 0, 0, 0)) }

    @Test("those that were not used for longest are closed first, not those that were opened first")
    func leastRecentlyUsed() {
        var readers = RecentReaders<Int>()
        for number in 0..<RecentReaders<Int>.limit { readers.keep(number, of: digest(number), byteCount: 1, at: ms(0)) }
        #expect(readers.reader(of: digest(0), at: ms(1)) == 0)
        readers.keep(100, of: digest(100), byteCount: 1, at: ms(2))
        #expect(readers.reader(of: digest(0), at: ms(3)) == 0)
        #expect(readers.reader(of: digest(1), at: ms(3)) == nil)
        #expect(readers.count == RecentReaders<Int>.limit)
    }

    @Test("hold a bounded number of bytes together; one that holds more alone is kept alone")
    func bytes() {
        var readers = RecentReaders<Int>()
        for number in 0..<4 { readers.keep(number, of: digest(number), byteCount: RecentReaders<Int>.byteLimit / 2, at: ms(0)) }
        #expect(readers.count == 2)
        readers.keep(9, of: digest(9), byteCount: RecentReaders<Int>.byteLimit * 2, at: ms(0))
        #expect(readers.count == 1)
        #expect(readers.reader(of: digest(9), at: ms(0)) == 9)
    }

    @Test("those that nobody uses are closed after a while")
    func unused() {
        var readers = RecentReaders<Int>()
        readers.keep(1, of: digest(1), byteCount: 1, at: ms(0))
        readers.keep(2, of: digest(2), byteCount: 1, at: ms(50))
        readers.closeUnused(since: ms(40))
        #expect(readers.reader(of: digest(1), at: ms(60)) == nil)
        #expect(readers.reader(of: digest(2), at: ms(60)) == 2)
    }
}
