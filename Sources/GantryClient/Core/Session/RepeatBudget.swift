//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// How many requests may be repeated now.
///
/// A front that is slow answers late, and a client that then repeats all that is open makes it slower for everybody. So each repeat costs
/// one, and each answer to a repeated request gives two back: while the front keeps up, the whole window is repeated in a few rounds; while
/// it does not, little more than `refill` a second is.
struct RepeatBudget: Hashable, Sendable {
    /// Repeats that may follow each other at once on a connection that has just been found to work.
    static let first = 64
    /// What a second without any answer gives back, up to `first`.
    static let refill = 16
    /// How often that is.
    static let refillPause: Duration = .seconds(1)
    /// What an answer to a repeat gives back: one for the repeat, and one more, so that a front that answers is soon asked for everything.
    static let perAnswer = 2
    /// No budget is larger: no more requests are ever open.
    static let most = 1_024

    private var credit = Self.first
    /// When something is given back without any answer.
    private(set) var refillsAt = MonotonicTime(nanoseconds: .min)

    /// Gives back what time gives.
    mutating func advance(to now: MonotonicTime) {
        guard now >= refillsAt else { return }
        refillsAt = now.advanced(by: Self.refillPause)
        credit = max(credit, min(credit + Self.refill, Self.first))
    }

    /// Pays for one repeat; false when nothing is left.
    mutating func take() -> Bool {
        guard credit > 0 else { return false }
        credit -= 1
        return true
    }

    /// A repeated request was answered.
    mutating func answered() { credit = min(credit + Self.perAnswer, Self.most) }

    /// A new connection is known to work.
    mutating func begin() { credit = max(credit, Self.first) }
}

/// Pauses between repeats: the first, then doubling, up to the longest.
package struct Backoff: Hashable, Sendable {
    /// The first pause.
    package let first: Duration
    /// The longest pause.
    package let longest: Duration
    private var pause: Duration

    /// Pauses from `first` to `longest`, both above zero.
    package init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
        self.pause = first
    }

    /// The pause to make now; the next one is twice as long.
    package mutating func next() -> Duration {
        defer { pause = min(pause.multiplied(by: 2), longest) }
        return pause
    }

    /// The pause to make now, a quarter longer or shorter by chance: a thousand clients that lost the same front at the same instant must
    /// not ask it again at the same instant.
    mutating func next(_ random: inout SplitMix64) -> Duration {
        let pause = next()
        let quarter = pause.wholeMilliseconds / 4
        return pause + .milliseconds(Int64.random(in: -quarter...quarter, using: &random))
    }

    /// Begins again with the first pause.
    package mutating func reset() { pause = first }

    /// Goes on with the longest pause.
    mutating func slowDown() { pause = longest }
}
