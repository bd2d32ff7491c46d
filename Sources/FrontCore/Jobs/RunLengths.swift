//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How long jobs of each loader ran lately: for estimates.
///
/// It is not restored: a front that has just started learns it anew. A loader that takes over the index of one that has gone is told wrongly
/// until a few of its jobs have ended.
struct RunLengths: Sendable {
    /// What a new length weighs in the average of a loader.
    private static let weight = 0.25

    /// What a job counts with at least, in seconds: 0 means that nothing is known.
    private static let shortestLength = 0.001

    /// Seconds by the index of the loader's name; 0: unknown.
    private var averages: [Double] = []

    /// Notes that a job has run for so long.
    mutating func note(loader: Int, seconds: Double) {
        while averages.count <= loader { averages.append(0) }
        let average = averages[loader]
        averages[loader] = average > 0 ? average + Self.weight * (seconds - average) : max(seconds, Self.shortestLength)
    }

    /// How long a job of a loader runs; nil while none has ended.
    func usual(loader: Int) -> Double? {
        guard loader < averages.count, averages[loader] > 0 else { return nil }
        return averages[loader]
    }
}
