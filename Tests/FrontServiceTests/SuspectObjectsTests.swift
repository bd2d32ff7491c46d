//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontService

@Suite("Objects that a page could not be read of")
struct SuspectObjectsTests {
    private let object = ObjectDigest(words: (1, 0, 0, 0))

    private let wrong = SuspectObjects.Finding.failed(.wrong(writtenAt: WallTime(milliseconds: 1)))
    private let missing = SuspectObjects.Finding.failed(.missing)

    /// Reads a kept object whenever it is due, with one finding, and tells when it is given up; nil: it is not until the end.
    private func givenUp(
        _ suspects: inout SuspectObjects, _ finding: SuspectObjects.Finding, from start: MonotonicTime, until end: MonotonicTime
    ) -> MonotonicTime? {
        var now = start
        while let next = suspects.nextReadAt, next <= end {
            now = max(now, next)
            if suspects.note(finding, of: object, at: now) { return now }
        }
        return nil
    }

    @Test(
        "are believed damaged only after two further reads of the whole that find the same, with a pause before each",
        arguments: [true, false])
    func believed(isPersistent: Bool) {
        var suspects = SuspectObjects()
        suspects.add(object, isPersistent: isPersistent, at: ms(0))
        #expect(suspects.due(at: ms(999)) == nil)
        #expect(suspects.due(at: ms(1_000)) == object)
        #expect(suspects.note(wrong, of: object, at: ms(1_000)) == false)
        #expect(suspects.due(at: ms(3_999)) == nil)
        #expect(suspects.nextReadAt == ms(4_000))
        #expect(suspects.due(at: ms(4_000)) == object)
        #expect(suspects.note(wrong, of: object, at: ms(4_000)) == true)
        #expect(suspects.nextReadAt == nil)
    }

    @Test("are not damaged while their files are still being written")
    func beingWritten() {
        var suspects = SuspectObjects()
        suspects.add(object, isPersistent: true, at: ms(0))
        for number in Int64(1)...100 {
            let finding = SuspectObjects.Finding.failed(.wrong(writtenAt: WallTime(milliseconds: number)))
            #expect(suspects.nextReadAt == ms(number == 1 ? 1_000 : number * 3_000 - 2_000))
            #expect(suspects.note(finding, of: object, at: ms(number * 3_000 - 2_000)) == false)
        }
        #expect(suspects.note(.whole, of: object, at: ms(400_000)) == false)
        #expect(suspects.nextReadAt == nil)
    }

    @Test("that can be loaded again are given up when they are missing twice")
    func missingCached() {
        var suspects = SuspectObjects()
        suspects.add(object, isPersistent: false, at: ms(0))
        #expect(!suspects.awaits(object))
        #expect(givenUp(&suspects, missing, from: ms(0), until: .distantFuture) == ms(4_000))
    }

    @Test("that are a user's own are waited for when they are missing, with growing pauses, for ten minutes of a folder that works")
    func missingKept() {
        var suspects = SuspectObjects()
        suspects.add(object, isPersistent: true, at: ms(0))
        #expect(suspects.awaits(object))
        #expect(suspects.note(missing, of: object, at: ms(1_000)) == false)
        #expect(suspects.nextReadAt == ms(4_000))
        #expect(suspects.note(missing, of: object, at: ms(4_000)) == false)
        #expect(suspects.nextReadAt == ms(14_000))
        #expect(suspects.note(missing, of: object, at: ms(14_000)) == false)
        #expect(suspects.nextReadAt == ms(44_000))
        #expect(givenUp(&suspects, missing, from: ms(44_000), until: ms(600_999)) == nil)
        // The folder is away for a moment: whatever is missing from it thereafter may still be on its way.
        #expect(suspects.note(.unread, of: object, at: ms(601_000)) == false)
        #expect(
            givenUp(&suspects, missing, from: ms(631_000), until: ms(631_000).advanced(by: SuspectObjects.gracePeriod - .milliseconds(1)))
                == nil)
        let end = givenUp(&suspects, missing, from: ms(631_000), until: .distantFuture)
        #expect(end.map { $0.duration(since: ms(631_000)) - SuspectObjects.gracePeriod < .seconds(30) } == true)
        #expect(!suspects.awaits(object))
    }

    @Test("that were waited for and come back damaged are given up as fast as others")
    func missingThenWrong() {
        var suspects = SuspectObjects()
        suspects.add(object, isPersistent: true, at: ms(0))
        #expect(givenUp(&suspects, missing, from: ms(0), until: ms(100_000)) == nil)
        #expect(suspects.note(wrong, of: object, at: ms(100_000)) == false)
        #expect(suspects.nextReadAt == ms(103_000))
        #expect(suspects.note(wrong, of: object, at: ms(103_000)) == true)
    }

    @Test("are not damaged when one read of the whole succeeds, and begin anew when they fail later")
    func whole() {
        var suspects = SuspectObjects()
        suspects.add(object, isPersistent: true, at: ms(0))
        #expect(suspects.note(wrong, of: object, at: ms(1_000)) == false)
        #expect(suspects.note(.whole, of: object, at: ms(4_000)) == false)
        #expect(suspects.nextReadAt == nil)
        suspects.add(object, isPersistent: true, at: ms(5_000))
        #expect(suspects.note(wrong, of: object, at: ms(6_000)) == false)
        #expect(suspects.nextReadAt == ms(9_000))
    }

    @Test("are never given up because they cannot be read now, however long that lasts", arguments: [true, false])
    func unread(isPersistent: Bool) throws {
        var suspects = SuspectObjects()
        suspects.add(object, isPersistent: isPersistent, at: ms(0))
        #expect(givenUp(&suspects, .unread, from: ms(0), until: ms(100_000_000)) == nil)
        let now = try #require(suspects.nextReadAt)
        #expect(suspects.note(wrong, of: object, at: now) == false)
        #expect(suspects.note(wrong, of: object, at: now.advanced(by: .seconds(3))) == true)
    }

    @Test("are not put off by further pages that fail meanwhile, and are bounded, those of users and others each")
    func bounded() {
        var suspects = SuspectObjects()
        suspects.add(object, isPersistent: false, at: ms(0))
        suspects.add(object, isPersistent: false, at: ms(900))
        #expect(suspects.due(at: ms(1_000)) == object)
        for number in 1...1_000 {
            suspects.add(ObjectDigest(words: (2, UInt64(number), 0, 0)), isPersistent: false, at: ms(0))
            suspects.add(ObjectDigest(words: (3, UInt64(number), 0, 0)), isPersistent: true, at: ms(0))
        }
        var read = 0
        while let next = suspects.due(at: ms(1_000)) {
            _ = suspects.note(.whole, of: next, at: ms(1_000))
            read += 1
        }
        #expect(read == 2 * SuspectObjects.limit)
    }
}
