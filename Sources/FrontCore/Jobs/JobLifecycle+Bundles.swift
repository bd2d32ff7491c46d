//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JobLifecycle {
    /// The next jobs that go into a bundle: the oldest of a kind in memory, so many or so many bytes of them.
    /// - Returns: what is known of them afterwards, and all that there is to know; nil: there are none.
    func nextBundle(of kind: EndedKind, jobLimit: Int, byteLimit: Int) -> (bundled: JournalEntry.EndedBundled, entries: [JournalEntry])? {
        var bundled = JournalEntry.EndedBundled(ended.bundled.next, kind)
        var failures = FailureCounts()
        var id = ended.line(of: kind).first
        while id != 0, bundled.jobs.count < jobLimit, bundled.byteCount < UInt64(byteLimit) {
            let record = slab[id]
            bundled.jobs.append(id)
            bundled.byteCount += UInt64(endedByteCount(of: id))
            bundled.endedAt = max(bundled.endedAt, WallTime(milliseconds: record.changedAt))
            if kind == .failed { failures.add(ended.failureCode(of: id, in: slab)) }
            id = record.next
        }
        guard !bundled.jobs.isEmpty else { return nil }
        bundled.jobs.sort()
        bundled.states = bundled.jobs.map { slab[$0].state }
        bundled.failures = failures.all
        return (bundled, entries(of: bundled.jobs))
    }
}
