//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import FrontService

@Suite("Publications for an observer that does not read")
struct PublicationBoundTests {
    @Test("small ones are bounded in number, large ones so that their bytes are")
    func mark() {
        var bound = PublicationBound()
        #expect(bound.highWaterMark == 10_000)
        #expect(bound.publish(byteCount: 200) == nil)
        let mark = bound.publish(byteCount: 65_536)
        #expect(mark.map { Int($0) * 65_536 <= PublicationBound.byteLimit && $0 > 100 } == true)
        #expect(bound.publish(byteCount: 65_000) == nil)
        #expect(bound.publish(byteCount: 1_000_000_000) == 1)
    }

    @Test("after a window without a large one the mark rises again, not before all that was kept may have gone")
    func window() {
        var bound = PublicationBound()
        _ = bound.publish(byteCount: 65_536)
        var rises: [Int] = []
        for number in 1...3 * PublicationBound.window where bound.publish(byteCount: 100) != nil { rises.append(number) }
        #expect(rises.count == 1 && rises[0] >= 10_000)
        #expect(bound.highWaterMark == 10_000)
    }
}
