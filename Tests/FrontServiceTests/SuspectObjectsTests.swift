//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Testing

@testable import FrontService

@Suite("Objects that a page could not be read of")
struct SuspectObjectsTests {
    private let object = ObjectDigest(words: (1, 0, 0, 0))

    @Test("are believed damaged only after two further reads of the whole, with a pause before each")
    func believed() {
        var suspects = SuspectObjects()
        suspects.add(object, at: 0)
        #expect(suspects.due(at: 999) == nil)
        #expect(suspects.due(at: 1_000) == object)
        #expect(suspects.note(.failed, of: object, at: 1_000) == false)
        #expect(suspects.due(at: 3_999) == nil)
        #expect(suspects.nextReadAt == 4_000)
        #expect(suspects.due(at: 4_000) == object)
        #expect(suspects.note(.failed, of: object, at: 4_000) == true)
        #expect(suspects.nextReadAt == nil)
    }

    @Test("are not damaged when one read of the whole succeeds, and begin anew when they fail later")
    func whole() {
        var suspects = SuspectObjects()
        suspects.add(object, at: 0)
        #expect(suspects.note(.failed, of: object, at: 1_000) == false)
        #expect(suspects.note(.whole, of: object, at: 4_000) == false)
        #expect(suspects.nextReadAt == nil)
        suspects.add(object, at: 5_000)
        #expect(suspects.note(.failed, of: object, at: 6_000) == false)
        #expect(suspects.nextReadAt == 9_000)
    }

    @Test("are never believed damaged because they cannot be read now, however long that lasts")
    func unread() {
        var suspects = SuspectObjects()
        suspects.add(object, at: 0)
        var now: Int64 = 1_000
        for _ in 0..<100 {
            #expect(suspects.due(at: now) == object)
            #expect(suspects.note(.unread, of: object, at: now) == false)
            #expect(suspects.due(at: now) == nil)
            now += 1_000
        }
        #expect(suspects.note(.failed, of: object, at: now) == false)
        #expect(suspects.note(.failed, of: object, at: now + 3_000) == true)
    }

    @Test("are not put off by further pages that fail meanwhile, and are bounded")
    func bounded() {
        var suspects = SuspectObjects()
        suspects.add(object, at: 0)
        suspects.add(object, at: 900)
        #expect(suspects.due(at: 1_000) == object)
        for number in 1...1_000 { suspects.add(ObjectDigest(words: (2, UInt64(number), 0, 0)), at: 0) }
        var read = 0
        while let next = suspects.due(at: 1_000) {
            _ = suspects.note(.whole, of: next, at: 1_000)
            read += 1
        }
        #expect(read == SuspectObjects.limit)
    }
}
