//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Token buckets")
struct TokenBucketTests {
    private func rate(_ count: UInt32, _ seconds: Int64, _ burst: UInt32) -> TokenRate {
        TokenRate(LimitRefill(count, per: .seconds(seconds), burst: burst))
    }

    @Test("tokens come evenly and exactly, from one in a day to a million in a second, however often it is looked")
    func exact() {
        for (count, seconds, burst) in [(1, 86_400, 1), (7, 60, 3), (1_000_000, 1, 1_000_000), (1_000_000, 2_592_000, 1_000_000)] {
            let rate = rate(UInt32(count), Int64(seconds), UInt32(burst))
            var often = TokenBucket(level: 0, at: 5)
            var time: LengthTime = 5
            for step in 1...1_000 {
                time = time.advanced(byMilliseconds: Int64(step * 7_919 % 1_000))
                often.advance(to: time, by: rate)
                let once = TokenBucket(level: 0, at: 5).advanced(to: time, by: rate)
                #expect(often == once)
                #expect(once.level == min(rate.most, time.milliseconds(since: 5) * Int64(count)))
            }
            let full = TokenBucket(level: 0, at: 5).fullTime(by: rate)
            let empty = TokenBucket(level: 0, at: 5)
            #expect(empty.missing(at: full, by: rate) == 0 && empty.missing(at: full.advanced(byMilliseconds: -1), by: rate) > 0)
        }
    }

    @Test("the next token is there when it is said to be, and not a millisecond before")
    func next() {
        var numbers = SplitMix64(mixing: 1)
        for _ in 0..<1_000 {
            let rate = rate(
                .random(in: 1...50, using: &numbers), .random(in: 1...100, using: &numbers), .random(in: 1...5, using: &numbers))
            let bucket = TokenBucket(level: .random(in: 0..<rate.perToken, using: &numbers), at: 1_000)
            let next = bucket.nextTime(by: rate)
            #expect(bucket.tokens(at: next, by: rate) == 1 && bucket.tokens(at: next.advanced(byMilliseconds: -1), by: rate) == 0)
        }
    }

    @Test("what is given back is never above the burst, and time that goes back brings none")
    func givenBack() {
        let rate = rate(10, 1, 4)
        var bucket = TokenBucket(fullBy: rate, at: 0)
        bucket.take(3, at: 0, by: rate)
        #expect(bucket.tokens(at: 0, by: rate) == 1 && bucket.tokens(at: -50, by: rate) == 1)
        bucket.give(2 * rate.perToken, at: 100, by: rate)
        #expect(bucket.tokens(at: 100, by: rate) == 4)
        bucket.give(rate.perToken, at: 100, by: rate)
        #expect(bucket.tokens(at: 100, by: rate) == 4 && bucket.fullTime(by: rate) == 100)
    }

    @Test("a crafted level is never more than the burst once a token was taken")
    func craftedLevel() {
        let rate = rate(10, 1, 4)
        var bucket = TokenBucket(level: .max, at: 0)
        bucket.take(1, at: 0, by: rate)
        #expect(bucket.tokens(at: 0, by: rate) == 4)
    }

    @Test("of what is given back as much is missing as there was room for it at the fullest moment since")
    func missing() {
        let rate = rate(10, 1, 4)
        let token = rate.perToken
        var peaks = TokenPeaks()
        peaks.note(4 * token, before: 1)
        func missing(_ leases: UInt64...) -> Int64 {
            var peaks = peaks
            return peaks.giveBack(leases, by: rate)
        }
        // Nothing has come since: all three that were taken together are missing, and no more than the bucket holds.
        #expect(missing(1, 2, 3) == 3 * token && missing(1, 2, 3, 4, 5) == 4 * token)
        peaks.note(3 * token, before: 4)
        #expect(missing(3, 1, 2) == token && missing(1) == token)
        // The later one is missing whole, beside what is left of the others.
        #expect(missing(4) == token && missing(1, 2, 4) == 2 * token)
        peaks.note(2 * token, before: 5)
        #expect(missing(4) == token && missing(1, 2, 4) == 2 * token)
        // One after the other they are no more than together.
        #expect(peaks.giveBack([1], by: rate) == token && peaks.giveBack([2], by: rate) == 0 && peaks.giveBack([4], by: rate) == token)
        // It was full: nothing of before is missing.
        peaks.note(4 * token, before: 6)
        #expect(missing(1, 2, 4, 5) == 0 && missing(6) == token)
    }

    @Test("of many moments some are kept, and those that are not let less be given back")
    func keptPeaks() {
        let rate = rate(1, 1, 100)
        var peaks = TokenPeaks()
        func missing(_ lease: UInt64) -> Int64 {
            var peaks = peaks
            return peaks.giveBack([UInt64](repeating: lease, count: 40), by: rate)
        }
        for number in 0..<Int64(TokenPeaks.kept + 2) { peaks.note((90 - number) * rate.perToken, before: UInt64(number + 1)) }
        #expect(missing(4) == (100 - 86) * rate.perToken)
        // Between the two oldest that are kept now and what they stand for: as full as the oldest was.
        #expect(missing(2) == (100 - 90) * rate.perToken)
        #expect(missing(3) == (100 - 87) * rate.perToken)
    }

    @Test("by another rate there was as much room at a moment as before, and without a rate there was none")
    func changedPeaks() {
        let (slow, fast) = (rate(1, 10, 5), rate(7, 1, 20))
        func changed() -> TokenPeaks {
            var peaks = TokenPeaks()
            peaks.note(5 * slow.perToken, before: 1)
            peaks.note(2 * slow.perToken, before: 2)
            peaks.change(from: slow, to: fast)
            return peaks
        }
        for (lease, tokens) in [(1, 3), (0, 0)] as [(UInt64, Int64)] {
            var peaks = changed()
            #expect(peaks.giveBack([UInt64](repeating: lease, count: 30), by: fast) == tokens * fast.perToken)
        }
        var peaks = changed()
        peaks.change(from: fast, to: nil)
        #expect(peaks == TokenPeaks())
    }

    @Test("a changed rate counts by the old one up to then, keeps what there is, and gives nothing at once")
    func changed() {
        let (slow, fast, small) = (rate(1, 10, 5), rate(7, 1, 20), rate(1, 3_600, 2))
        var bucket = TokenBucket(level: 0, at: 0)
        bucket.change(from: slow, to: fast, at: 25_000)
        #expect(bucket.tokens(at: 25_000, by: fast) == 2 && bucket.level == 2_500)
        #expect(bucket.tokens(at: 26_000, by: fast) == 9 && bucket.tokens(at: 99_000, by: fast) == 20)
        bucket.change(from: fast, to: small, at: 99_000)
        #expect(bucket.tokens(at: 99_000, by: small) == 2)
        var full = TokenBucket(fullBy: slow, at: 0)
        full.change(from: slow, to: fast, at: 0)
        #expect(full.tokens(at: 0, by: fast) == 5)
    }

    @Test("no number that a journal may say ends the front", arguments: [Int64.min, -1, 0, 1, .max - 1, .max])
    func crafted(number: Int64) {
        for refill in [LimitRefill(.max, per: .milliseconds(Int64.max), burst: .max), LimitRefill(0, per: .zero, burst: 0)] {
            let rate = TokenRate(refill)
            let now = LengthTime(milliseconds: number)
            for time in [Int64.min, 0, .max] {
                var bucket = TokenBucket(level: number, at: LengthTime(milliseconds: time))
                bucket.take(1, at: now, by: rate)
                bucket.change(from: rate, to: self.rate(1, 1, 1), at: now)
                #expect(bucket.level >= 0 && bucket.time >= 0)
                _ = (bucket.fullTime(by: rate), bucket.nextTime(by: rate), bucket.missing(at: now, by: rate))
            }
        }
    }
}
