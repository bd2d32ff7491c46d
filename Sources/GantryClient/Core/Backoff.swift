//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

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
