//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Pauses between repeats: the first, then doubling, up to the longest.
public struct Backoff: Hashable, Sendable {
    /// The first pause in milliseconds.
    public let first: Int64
    /// The longest pause in milliseconds.
    public let longest: Int64
    private var pause: Int64

    /// Pauses from `first` to `longest`, both in milliseconds and above zero.
    public init(first: Int64, longest: Int64) {
        self.first = first
        self.longest = longest
        self.pause = first
    }

    /// The pause to make now, in milliseconds; the next one is twice as long.
    public mutating func next() -> Int64 {
        defer { pause = min(pause * 2, longest) }
        return pause
    }

    /// The pause to make now, a quarter longer or shorter by chance: a thousand clients that lost the same front at the same instant must
    /// not ask it again at the same instant.
    mutating func next(_ random: inout RandomNumbers) -> Int64 {
        let pause = next()
        return pause + Int64.random(in: -(pause / 4)...(pause / 4), using: &random)
    }

    /// Begins again with the first pause.
    public mutating func reset() { pause = first }

    /// Goes on with the longest pause.
    mutating func slowDown() { pause = longest }
}
