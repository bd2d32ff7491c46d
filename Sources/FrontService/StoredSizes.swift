//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// How many bytes the front has stored; nil: that cannot be looked at.
struct StoredSizes: Hashable, Sendable {
    /// The files of the journal.
    var journal: UInt64?
    /// What is held free beside them for a full disk.
    var ballast: UInt64?
    /// The objects of the cache.
    var cache: UInt64?

    /// What takes the room, for people; nil: nothing is known.
    var line: String? {
        let parts = [("the journal", journal), ("the cache", cache)].compactMap { name, count in
            count.map { "\(name) holds \($0 >> 20) MiB" }
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// Notes them where observers of `storage` see them.
    func put(into summary: inout StorageSummary) {
        (summary.journalByteCount, summary.cacheByteCount, summary.ballastByteCount) = (journal, cache, ballast)
    }
}
