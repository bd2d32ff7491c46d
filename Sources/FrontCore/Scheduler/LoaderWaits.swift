//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// How many jobs wait in lanes, by their loader: counted as they come and go.
struct LoaderWaits {
    /// By a loader's index.
    private var counts: [Int] = []
    /// All of them.
    private(set) var total = 0
    /// How often it has changed how many jobs wait for loaders that nobody offers, and which those are.
    private(set) var version: UInt64 = 0

    /// How many loaders observers are told by name; the jobs of the others are summed up.
    private static let listedLoaders = 32

    /// Counts a job of a loader in or out. Who observes counts sees it here only if nobody offers the loader.
    mutating func count(_ loader: Int, _ change: Int, isOffered: Bool) {
        while counts.count <= loader { counts.append(0) }
        counts[loader] += change
        total += change
        if !isOffered { version &+= 1 }
    }

    /// A first worker offers these loaders, or none does any more: it matters to jobs that wait for them.
    mutating func noteOffers(of loaders: [Int]) {
        if loaders.contains(where: { $0 < counts.count && counts[$0] > 0 }) { version &+= 1 }
    }

    /// The jobs of loaders that are not offered: most first, ties by name, and how many there are of those that are not named. It costs a look at each
    /// loader, of which the names are bounded.
    func unoffered(_ name: (Int) -> String, isOffered: (Int) -> Bool) -> (listed: [LoaderCount], others: UInt64) {
        let found = counts.indices.filter { counts[$0] > 0 && !isOffered($0) }.map { LoaderCount(name($0), UInt64(counts[$0])) }
            .sorted { ($1.count, $0.loader) < ($0.count, $1.loader) }
        return (Array(found.prefix(Self.listedLoaders)), found.dropFirst(Self.listedLoaders).reduce(0) { $0 + $1.count })
    }
}

extension Scheduler {
    /// Waiting jobs of loaders that nobody offers, as `LoaderWaits` lists them.
    func unoffered(_ name: (Int) -> String) -> (listed: [LoaderCount], others: UInt64) { waits.unoffered(name) { isOffered($0) } }
}
