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

    /// Begins again with the first pause.
    public mutating func reset() { pause = first }
}
