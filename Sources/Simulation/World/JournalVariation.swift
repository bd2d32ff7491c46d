//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What kind of journal the front of a world has, drawn from the seed. Half of the worlds have one row under way at a time, as production has; a
/// nearly as many have an engine that several fronts share: authority over it lapses, in some for good, and commits may be in doubt.
///
/// It is drawn from a stream of its own, so that everything else of a seed stays as it is.
struct JournalVariation {
    /// Rows that may be under way.
    let rowsUnderWay: Int
    /// Share of commits whose outcome is in doubt.
    let doubtShare: Double
    /// Mean milliseconds between two lapses of authority; 0: the journal's lock proves it for ever.
    let lapseMilliseconds: Int64
    /// Longest lapse.
    let longestLapse: Int64
    /// Share of lapses in which another front takes over.
    let takeoverShare: Double

    init(_ random: inout Random, isQuiet: Bool) {
        rowsUnderWay = random.chance(0.5) ? 1 : 2 + random.below(3)
        let isShared = random.chance(0.5) && !isQuiet
        let (doubts, lapses, takeovers) = (random.chance(0.7), random.chance(0.8), random.chance(0.5))
        doubtShare = isShared && doubts ? [0.003, 0.02, 0.1][random.below(3)] : 0
        lapseMilliseconds = isShared && lapses ? random.between(200, 3_000) : 0
        longestLapse = random.spread(100, 8_000)
        takeoverShare = takeovers ? 0.4 : 0
    }
}
