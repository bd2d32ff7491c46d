//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@Suite("Lengths of time")
struct DurationTests {
    private static let longest = Duration(attoseconds: .max)
    private static let shortest = Duration(attoseconds: .min)

    @Test("whole milliseconds are rounded down or up, on both sides of zero")
    func rounding() {
        let cases: [(Duration, down: Int64, up: Int64)] = [
            (.zero, 0, 0), (.milliseconds(5), 5, 5), (.milliseconds(-5), -5, -5), (.microseconds(1_500), 1, 2),
            (.microseconds(-1_500), -2, -1),
            (Duration(attoseconds: 1), 0, 1), (Duration(attoseconds: -1), -1, 0),
        ]
        for (duration, down, up) in cases {
            #expect(duration.wholeMilliseconds == down)
            #expect(duration.millisecondsRoundedUp == up)
        }
        #expect(Duration(attoseconds: 1_999_999_999).wholeNanoseconds == 1)
        #expect(Duration(attoseconds: -1_999_999_999).wholeNanoseconds == -1)
    }

    @Test("what does not fit becomes the nearest number that does")
    func extremes() {
        #expect(Self.longest.wholeNanoseconds == .max)
        #expect(Self.shortest.wholeNanoseconds == .min)
        #expect(Self.longest.wholeMilliseconds == .max)
        #expect(Self.shortest.wholeMilliseconds == .min)
        #expect(Self.longest.millisecondsRoundedUp == .max)
        #expect(Self.shortest.millisecondsRoundedUp == .min)
        #expect(Duration.milliseconds(Int64.max).wholeMilliseconds == .max)
        #expect(Duration.milliseconds(Int64.min).millisecondsRoundedUp == .min)
        #expect(Duration.seconds(Int64.max).wholeNanoseconds == .max)
    }

    @Test("seconds with parts become the nearest length of time, whatever number it is")
    func seconds() {
        #expect(Duration(clampingSeconds: 0.25) == .milliseconds(250))
        #expect(Duration(clampingSeconds: -1.5) == .milliseconds(-1_500))
        #expect(Duration(clampingSeconds: .infinity) == .nanoseconds(Int64.max))
        #expect(Duration(clampingSeconds: -1e300) == .nanoseconds(Int64.min))
        #expect(Duration(clampingSeconds: .nan) == .zero)
        #expect(Duration.milliseconds(1_250).inSeconds == 1.25)
    }

    @Test("a multiple stays at the longest there is")
    func multiples() {
        #expect(Duration.milliseconds(250).multiplied(by: 4) == .seconds(1))
        #expect(Duration.seconds(Int64.max).multiplied(by: .max) == Self.longest)
        #expect(Duration.seconds(Int64.max).multiplied(by: .min) == Self.shortest)
        #expect(Duration.seconds(Int64.min).multiplied(by: .min) == Self.longest)
    }

    @Test("an instant of the monotonic clock stays within time, however far it is moved")
    func monotonicInstants() {
        let start = MonotonicTime(nanoseconds: 5)
        #expect(start.advanced(by: .milliseconds(2)) == MonotonicTime(nanoseconds: 2_000_005))
        #expect(start.advanced(by: Self.longest) == .distantFuture)
        #expect(start.advanced(by: Self.shortest) == MonotonicTime(nanoseconds: .min + 5))
        #expect(MonotonicTime(nanoseconds: -5).advanced(by: Self.shortest) == MonotonicTime(nanoseconds: .min))
        #expect(MonotonicTime.distantFuture.advanced(by: .nanoseconds(1)) == .distantFuture)
        #expect(MonotonicTime(nanoseconds: 7).duration(since: start) == .nanoseconds(2))
        let all = MonotonicTime.distantFuture.duration(since: MonotonicTime(nanoseconds: .min))
        #expect(all == .nanoseconds(Int64.max) + .nanoseconds(Int64.max) + .nanoseconds(1))
        #expect(all.wholeNanoseconds == .max)
    }

    @Test("an instant of the wall clock is moved by whole milliseconds, rounded down, and stays within time")
    func wallInstants() {
        let start = WallTime(milliseconds: 5)
        #expect(start.advanced(by: .microseconds(1_999)) == WallTime(milliseconds: 6))
        #expect(start.advanced(by: .microseconds(-1)) == WallTime(milliseconds: 4))
        #expect(start.advanced(by: Self.longest) == WallTime(milliseconds: .max))
        #expect(WallTime(milliseconds: -5).advanced(by: Self.shortest) == WallTime(milliseconds: .min))
        #expect(start.duration(since: WallTime(milliseconds: 7)) == .milliseconds(-2))
        #expect(WallTime(milliseconds: .max).duration(since: WallTime(milliseconds: .min)).wholeMilliseconds == .max)
    }

    @Test("how far the wall clock was set is known whatever it shows")
    func clocksSet() {
        let early = FrontTime(monotonic: MonotonicTime(nanoseconds: 0), wall: WallTime(milliseconds: 1_000))
        let late = FrontTime(monotonic: MonotonicTime(nanoseconds: 2_000_000_000), wall: WallTime(milliseconds: 3_500))
        #expect(late.duration(setSince: early) == .milliseconds(500))
        let wild = FrontTime(monotonic: MonotonicTime(nanoseconds: 0), wall: WallTime(milliseconds: .min))
        #expect(wild.duration(setSince: FrontTime(monotonic: .distantFuture, wall: WallTime(milliseconds: .max))) < .zero)
    }
}
