//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("The clock of sessions")
struct SessionClockTests {
    private func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

    /// How far the clock is at an instant, in milliseconds.
    private func shown(_ clock: SessionClock, at milliseconds: Int64) -> Int64 {
        var shown: Int64 = 0
        while clock.reading(at: time(milliseconds)) > .zero.advanced(by: .milliseconds(shown)) { shown += 1 }
        return shown
    }

    private enum State: CaseIterable { case running, standing }
    private enum Event: CaseIterable { case received, unheard, absence }

    @Test("every state meets every event as the table says")
    func table() {
        // At 100 something happens; shown is what the clock says at 150.
        let expected: [State: [Event: Int64]] = [
            .running: [.received: 150, .unheard: 100, .absence: 130], .standing: [.received: 100, .unheard: 50, .absence: 50],
        ]
        for state in State.allCases {
            for event in Event.allCases {
                var clock = SessionClock()
                clock.noteReading(isDone: true, since: time(10))
                if state == .standing { clock.noteReading(isDone: false, since: time(50)) }
                switch event {
                case .received: clock.noteReading(isDone: true, since: time(100))
                case .unheard: clock.noteReading(isDone: false, since: time(100))
                case .absence: clock.noteAbsence(.milliseconds(20))
                }
                #expect(shown(clock, at: 150) == expected[state]?[event], "\(event), \(state)")
            }
        }
    }

    @Test("an instant is that at which the clock shows a reading, should it run from now on")
    func instants() {
        var clock = SessionClock()
        clock.noteReading(isDone: true, since: time(100))
        clock.noteAbsence(.milliseconds(40))
        let reading = SessionClock.Reading.zero.advanced(by: .milliseconds(200))
        #expect(clock.instant(of: reading, from: time(120)) == time(240))
        clock.noteReading(isDone: false, since: time(150))
        #expect(clock.instant(of: reading, from: time(180)) == time(270))
        #expect(clock.instant(of: .zero.advanced(by: .milliseconds(Int64.max)), from: time(180)) == .distantFuture)
    }

    @Test("a flood makes it stand for 10 s, then it goes on behind time; a disk that keeps clients from being heard makes it stand as long")
    func flood() {
        for (isKept, end) in [(false, Int64(10_000)), (true, 0)] {
            var clock = SessionClock()
            clock.noteReading(isDone: true, since: time(0))
            for second in Int64(0)...20 { clock.noteReading(isDone: false, isKept: isKept, since: time(second * 1_000)) }
            #expect(shown(clock, at: 20_000) == end)
            #expect(clock.isStanding(at: time(20_000)) == isKept)
            let reading = SessionClock.Reading.zero.advanced(by: .milliseconds(end + 1_000))
            #expect(clock.instant(of: reading, from: time(20_000)) == time(21_000))
            // Both are over: it runs on from where it is.
            clock.noteReading(isDone: true, since: time(20_000))
            #expect(shown(clock, at: 20_500) == end + 500)
        }
    }

    @Test("what a machine was away for during a flood is no part of those 10 s")
    func awayInFlood() {
        var clock = SessionClock()
        clock.noteReading(isDone: false, since: time(1_000))
        clock.noteAbsence(.seconds(3_600))
        clock.noteReading(isDone: false, since: time(3_602_000))
        #expect(shown(clock, at: 3_602_000) == 1_000)
    }

    @Test("a reading before all that was heard makes nobody young")
    func unknownBeginning() {
        var clock = SessionClock()
        clock.noteReading(isDone: true, since: time(500))
        clock.noteReading(isDone: false, since: time(0))
        #expect(shown(clock, at: 700) == 500)
        clock.noteReading(isDone: true, since: time(600))
        #expect(shown(clock, at: 700) == 600)
    }

    @Test("what the disk has kept is counted once, from each turn to the next: with 10 s more it stands for so long and no longer")
    func kept() {
        var clock = SessionClock()
        clock.noteReading(isDone: true, since: time(10))
        for milliseconds in [100, 200, 300] as [Int64] { clock.noteReading(isDone: true, isKept: true, since: time(milliseconds)) }
        #expect(clock.isStanding(at: time(10_300)) && !clock.isStanding(at: time(10_301)))
    }
}
