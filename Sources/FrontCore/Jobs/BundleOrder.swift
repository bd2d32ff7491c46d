//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Bundles by their oldest job. Bundles may overlap, mostly by little: those that can hold a job are found without a look at the others.
struct BundleOrder {
    private struct Entry {
        let bundle: JournalEntry.EndedBundled
        let oldest: UInt64
        /// The newest job of this bundle and of all before it.
        var newest: UInt64
    }

    private var entries: [Entry] = []

    /// Bundles.
    var count: Int { entries.count }

    /// The bundle at a place.
    func bundle(at index: Int) -> JournalEntry.EndedBundled { entries[index].bundle }

    /// No bundle before a place has a newer job than this; 0: there is none.
    func newest(before index: Int) -> UInt64 { index == 0 ? 0 : entries[index - 1].newest }

    /// How many bundles have a job below one.
    func count(below job: UInt64) -> Int { entries.firstPlace { $0.oldest >= job } }

    /// Adds a bundle.
    mutating func add(_ bundle: JournalEntry.EndedBundled) {
        guard let oldest = bundle.jobs.first else { return }
        let index = count(below: oldest)
        entries.insert(Entry(bundle: bundle, oldest: oldest, newest: 0), at: index)
        correct(from: index)
    }

    /// Takes a bundle out.
    mutating func remove(_ bundle: JournalEntry.EndedBundled) {
        guard let oldest = bundle.jobs.first else { return }
        var index = count(below: oldest)
        while index < entries.count, entries[index].bundle.number != bundle.number { index += 1 }
        guard index < entries.count else { return }
        entries.remove(at: index)
        correct(from: index)
    }

    private mutating func correct(from index: Int) {
        for place in index..<entries.count {
            entries[place].newest = max(newest(before: place), entries[place].bundle.jobs.last ?? 0)
        }
    }
}
