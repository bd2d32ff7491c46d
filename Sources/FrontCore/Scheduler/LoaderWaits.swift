//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// How many jobs wait in lanes, by their loader: counted as they come and go.
struct LoaderWaits {
    /// What waits for a loader. Whether a worker offers it is kept here, for to ask costs more than all else that a job's coming and going does.
    private struct Wait {
        var count = 0
        var isOffered = false
    }

    /// By a loader's index.
    private var loaders: [Wait] = []
    /// All of them.
    private(set) var total = 0
    /// How often it has changed how many jobs wait for loaders that nobody offers, and which those are.
    private(set) var version: UInt64 = 0

    /// How many loaders observers are told by name; the jobs of the others are summed up.
    private static let listedLoaders = 32

    /// Counts a job of a loader in or out. Who observes counts sees it here only if nobody offers the loader.
    mutating func count(_ loader: Int, _ change: Int) {
        grow(to: loader)
        loaders[loader].count += change
        total += change
        if !loaders[loader].isOffered { version &+= 1 }
    }

    /// A first worker offers a loader, or none does any more: it matters to jobs that wait for it.
    mutating func noteOffer(of loader: Int, _ isOffered: Bool) {
        grow(to: loader)
        if loaders[loader].isOffered != isOffered, loaders[loader].count > 0 { version &+= 1 }
        loaders[loader].isOffered = isOffered
    }

    private mutating func grow(to loader: Int) {
        if loader >= loaders.count { loaders += Array(repeating: Wait(), count: loader + 1 - loaders.count) }
    }

    /// The jobs of loaders that are not offered: most first, ties by name, and how many there are of those that are not named. It costs a look at
    /// each loader, of which the names are bounded.
    func unoffered(_ name: (Int) -> String) -> (listed: [LoaderCount], others: UInt64) {
        let found = loaders.indices.filter { loaders[$0].count > 0 && !loaders[$0].isOffered }
            .map { LoaderCount(name($0), UInt64(loaders[$0].count)) }
            .sorted { ($1.count, $0.loader) < ($0.count, $1.loader) }
        return (Array(found.prefix(Self.listedLoaders)), found.dropFirst(Self.listedLoaders).reduce(0) { $0 + $1.count })
    }
}

extension Scheduler {
    /// Waiting jobs of loaders that nobody offers, as `LoaderWaits` lists them.
    func unoffered(_ name: (Int) -> String) -> (listed: [LoaderCount], others: UInt64) { waits.unoffered(name) }
}
