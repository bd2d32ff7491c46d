//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import FrontService

@Suite("Pages that are being read")
struct PagesUnderWayTests {
    private typealias Pages = PagesUnderWay<String>

    @Test("one client has fewer of them than are read at a time, so that its hanging pages leave a place for the others")
    func onePeer() {
        var pages = Pages()
        for number in 0..<UInt64(Pages.peerLimit) {
            #expect(pages.hasPlace(for: "a") && pages.hasPlace(at: 0))
            pages.begin(number, of: "a", at: 0)
        }
        #expect(!pages.hasPlace(for: "a"))
        #expect(pages.hasPlace(for: "b") && pages.hasPlace(at: 0))
        pages.end(0, of: "a")
        pages.end(0, of: "a")
        #expect(pages.hasPlace(for: "a"))
        pages.begin(9, of: "a", at: 0)
        #expect(!pages.hasPlace(for: "a"), "what has ended once is counted once")
    }

    @Test("a slow one keeps no other from being begun; those that hang are bounded")
    func slow() {
        var pages = Pages()
        for number in 0..<UInt64(Pages.limit) {
            let now = Int64(number) / Int64(Pages.quickLimit) * Pages.slowMilliseconds
            #expect(pages.hasPlace(at: now), "\(number)")
            pages.begin(number, of: "\(number)", at: now)
            guard (number + 1) % UInt64(Pages.quickLimit) == 0 else { continue }
            #expect(!pages.hasPlace(at: now + Pages.slowMilliseconds - 1))
            if number + 1 < Pages.limit { #expect(pages.nextPlaceAt(now) == now + Pages.slowMilliseconds) }
        }
        #expect(!pages.hasPlace(at: 1_000_000) && pages.nextPlaceAt(0) == nil)
        pages.end(5, of: "5")
        #expect(pages.hasPlace(at: 1_000_000))
        #expect(pages.nextPlaceAt(1_000_000) == nil, "all that are left are slow already")
    }

    @Test("are known by client and number, so that a repeat is no second one")
    func known() {
        var pages = Pages()
        pages.begin(7, of: "a", at: 0)
        #expect(pages.contains(7, of: "a") && !pages.contains(7, of: "b") && !pages.contains(8, of: "a"))
        pages.end(7, of: "a")
        #expect(!pages.contains(7, of: "a"))
    }
}
