//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

/// A journal may say any time, and what counts on from there must neither end the front nor come out before it.
@Suite("What the clocks of lengths and ranks show at the ends of all numbers")
struct ClockEndTests {
    /// A time, how many milliseconds are added, and the sum; then what is between the two.
    static let rows: [(time: Int64, added: Int64, sum: Int64)] = [
        (0, 5, 5), (0, -5, -5), (.max - 1, 1, .max), (.max, 0, .max), (.max, 1, .max), (1, .max, .max), (.max, .max, .max),
        (.min + 1, -1, .min), (.min, -1, .min), (-1, .min, .min), (.min, .min, .min), (.min, .max, -1), (.max, .min, -1),
    ]

    @Test("a later time is never less than all numbers, and stays at their end", arguments: rows.indices)
    func sums(row: Int) {
        let (time, added, sum) = Self.rows[row]
        #expect(LengthTime(milliseconds: time).advanced(byMilliseconds: added).milliseconds == sum)
        #expect(LengthTime(milliseconds: time).advanced(by: .milliseconds(added)).milliseconds == sum)
        #expect(RankTime(milliseconds: time).advanced(byMilliseconds: added).milliseconds == sum)
        #expect(WallTime(milliseconds: time).advanced(by: .milliseconds(added)).milliseconds == sum)
    }

    @Test("a length of time is at most all numbers")
    func lengths() {
        let (first, last) = (LengthTime(milliseconds: .min), LengthTime(milliseconds: .max))
        #expect(last.milliseconds(since: first) == .max && first.milliseconds(since: last) == .min)
        #expect(last.milliseconds(since: .zero) == .max && last.milliseconds(since: last) == 0)
        #expect(LengthTime.zero.milliseconds(since: first) == .max)
    }

    @Test("a priority is worth nothing more at the ends, and makes no job the last one that was the first")
    func ranks() {
        let (first, last) = (RankTime(milliseconds: .min), RankTime(milliseconds: .max))
        #expect(Rank(ofPriority: 9, at: first) == Rank(ofPriority: 0, at: first))
        #expect(Rank(ofPriority: 9, at: last) < Rank(ofPriority: 0, at: last))
        #expect(Rank(milliseconds: .max).time(ofPriority: 9) == last)
        let now = MonotonicTime(nanoseconds: 0)
        #expect(RankClock(level: last, at: now).time(at: .distantFuture) == last)
    }

    @Test("the clock of lengths goes on from what an entry has said, whatever boot came with it", arguments: [Int64.min, -1, 0, .max])
    func clock(boot: Int64) {
        for level in [Int64.min, 0, .max] {
            for offset in [Int64.min, 0, .max] {
                var clock = LengthClock(bootID: "a", offset: offset, level: level)
                clock.begin(.init(epoch: Epoch(1), bootID: "b", bootMilliseconds: boot))
                #expect(clock.level >= level)
                for now in [MonotonicTime(nanoseconds: 0), .distantFuture] {
                    #expect(clock.lengthTime(at: now).milliseconds >= level)
                }
                #expect(clock.instant(of: LengthTime(milliseconds: .min)) <= clock.instant(of: LengthTime(milliseconds: .max)))
            }
        }
    }

    @Test("whatever entry says what the clock of lengths has shown, it goes on from there")
    func entries() {
        var ended = JournalEntry.EndedJobs(at: WallTime(milliseconds: 1))
        ended.lengthTime = 7_000
        let entries: [JournalEntry] = [
            .ended(ended), .attemptsEnded(JournalEntry.AttemptsEnded(cause: .returned, lengthTime: 7_000)),
            .jobsDue(JournalEntry.JobsDue([], rankTime: 1, lengthTime: 7_000)),
            .jobDelayed(JournalEntry.JobDelayed(JobID(1), .length(40), lengthTime: 7_000)),
            .uniqueKeysFreed(JournalEntry.UniqueKeysFreed([], lengthTime: 7_000)),
            .tokensChanged(JournalEntry.TokensChanged([JournalEntry.TokenLevel(LimitKey("api"), level: 0, lengthTime: 7_000)])),
            .jobReplaced(JournalEntry.JobReplaced(JobID(1), JobOptions(), argument: [], rank: 1, due: nil, lengthTime: 7_000)),
        ]
        for entry in entries {
            var state = FrontState()
            state.apply(entry)
            #expect(state.jobs.numbers.lengths.level == 7_000, "\(entry)")
        }
    }

    @Test("what people see of a time of that clock is what the wall clock shows then, up to its end")
    func shown() {
        let (now, wall) = (MonotonicTime(nanoseconds: 0), WallTime(milliseconds: .max - 5))
        let shown = ShownLengths(LengthClock(level: 1_000), at: FrontTime(monotonic: now, wall: wall))
        #expect(shown.wallTime(of: LengthTime(milliseconds: 1_000)) == wall)
        #expect(shown.wallTime(of: LengthTime(milliseconds: 1_003)) == WallTime(milliseconds: .max - 2))
        #expect(shown.wallTime(of: LengthTime(milliseconds: 9_000)) == WallTime(milliseconds: .max))
    }

    @Test("a debounced time at the end of all numbers is no time that was over long ago")
    func debounce() {
        let debounce = Debounce(quiet: .seconds(1), longest: .seconds(10))
        let (last, second) = (LengthTime(milliseconds: .max), LengthTime(milliseconds: 1_000))
        #expect(debounce.time(since: last, at: last) == last)
        #expect(debounce.time(since: second, at: last) == LengthTime(milliseconds: 11_000))
    }
}
