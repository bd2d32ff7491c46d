//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import GantryClient

@Suite("Outcomes that are awaited")
struct OutcomeWatchTests {
    @Test("no more missing ones are asked for at once than were wished")
    func bounded() {
        var watch = OutcomeWatch(SessionSettings(label: "test", seed: 1))
        let begin = MonotonicTime(nanoseconds: 0)
        for id: UInt64 in 1...10 { watch.expect(JobID(id), at: begin) }
        let later = begin.advanced(by: .milliseconds(3_600_000))
        #expect(watch.takeDue(at: later, atMost: 4) == (1...4).map { JobID($0) })
        #expect(watch.takeDue(at: later, atMost: 100) == (5...10).map { JobID($0) })
    }

    @Test("the next one that is due is the earliest, whatever pauses went before")
    func earliest() {
        var watch = OutcomeWatch(SessionSettings(label: "test", seed: 1))
        let begin = MonotonicTime(nanoseconds: 0)
        watch.expect(JobID(1), at: begin)
        let first = watch.nextDue()
        #expect(watch.takeDue(at: first, atMost: 9) == [JobID(1)])
        // Its next pause is longer than the first one of another job.
        watch.expect(JobID(2), at: first)
        let second = watch.nextDue()
        #expect(watch.takeDue(at: second, atMost: 9) == [JobID(2)])
        #expect(watch.nextDue() > second)
        #expect(watch.takeDue(at: watch.nextDue(), atMost: 9) == [JobID(1)])
    }
}
