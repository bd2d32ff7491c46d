//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryZMQ
import Testing

@testable import FrontService

@Suite("Pages that are being read")
struct PagesUnderWayTests {
    private typealias Pages = PagesUnderWay

    /// A connection, of a process if one is given.
    private func client(_ connection: Int, process: Int32? = nil) throws -> PageClient {
        let id = try #require(RoutingID(bytes: [UInt8(connection)]))
        return PageClient(id, process.flatMap { PeerCredentials(peerAddress: "localhost:1000:1000:\($0)") })
    }

    @Test("one client has fewer of them than are read at a time, so that its hanging pages leave a place for the others")
    func oneClient() throws {
        var pages = Pages()
        let (a, b) = (try client(1), try client(2))
        for number in 0..<UInt64(Pages.ownerLimit) {
            #expect(pages.hasPlace(for: a) && pages.hasPlace(at: ms(0)))
            pages.begin(number, of: a, at: ms(0))
        }
        #expect(!pages.hasPlace(for: a))
        #expect(pages.hasPlace(for: b) && pages.hasPlace(at: ms(0)))
        pages.end(0, of: a)
        pages.end(0, of: a)
        #expect(pages.hasPlace(for: a))
        pages.begin(9, of: a, at: ms(0))
        #expect(!pages.hasPlace(for: a), "what has ended once is counted once")
    }

    @Test("the connections of one process count together; one of another process, or of none that is known, counts by itself")
    func oneProcess() throws {
        var pages = Pages()
        for connection in 1...Pages.ownerLimit {
            #expect(try pages.hasPlace(for: client(connection, process: 7)))
            try pages.begin(1, of: client(connection, process: 7), at: ms(0))
        }
        #expect(try !pages.hasPlace(for: client(9, process: 7)))
        #expect(try pages.hasPlace(for: client(9, process: 8)) && pages.hasPlace(for: client(9)))
        #expect(try client(9, process: 0) == client(9), "a process of another container has no number here")
        try pages.end(1, of: client(2, process: 7))
        #expect(try pages.hasPlace(for: client(9, process: 7)))
    }

    @Test("the last places are left to who has none: many connections of which each has its share take not all")
    func reserve() throws {
        var pages = Pages()
        let taken = Pages.limit - Pages.reserve
        for number in 0..<taken { try pages.begin(UInt64(number), of: client(number / Pages.ownerLimit), at: ms(0)) }
        #expect(pages.hasPlace(at: ms(1_000_000)))
        let (new, old) = (try client(100), try client(101))
        pages.begin(1, of: old, at: ms(0))
        #expect(pages.hasPlace(for: new) && !pages.hasPlace(for: old))
        pages.end(0, of: try client(0))
        #expect(!pages.hasPlace(for: old), "the reserve is whole again first")
        pages.end(1, of: try client(0))
        #expect(pages.hasPlace(for: old))
    }

    @Test("a slow one keeps no other from being begun; those that hang are bounded")
    func slow() throws {
        var pages = Pages()
        for number in 0..<Pages.limit {
            let now = ms(0).advanced(by: Pages.slow * (number / Pages.quickLimit))
            #expect(pages.hasPlace(at: now), "\(number)")
            try pages.begin(1, of: client(number), at: now)
            guard (number + 1) % Pages.quickLimit == 0 else { continue }
            #expect(!pages.hasPlace(at: now.advanced(by: Pages.slow - .nanoseconds(1))))
            if number + 1 < Pages.limit { #expect(pages.nextPlaceAt(now) == now.advanced(by: Pages.slow)) }
        }
        #expect(!pages.hasPlace(at: ms(1_000_000)) && pages.nextPlaceAt(ms(0)) == nil)
        try pages.end(1, of: client(5))
        #expect(pages.hasPlace(at: ms(1_000_000)))
        #expect(pages.nextPlaceAt(ms(1_000_000)) == nil, "all that are left are slow already")
    }

    @Test("are known by connection and number, so that a repeat is no second one")
    func known() throws {
        var pages = Pages()
        let (a, b) = (try client(1, process: 7), try client(2, process: 7))
        pages.begin(7, of: a, at: ms(0))
        #expect(pages.contains(7, of: a) && !pages.contains(7, of: b) && !pages.contains(8, of: a))
        pages.end(7, of: a)
        #expect(!pages.contains(7, of: a))
    }
}
