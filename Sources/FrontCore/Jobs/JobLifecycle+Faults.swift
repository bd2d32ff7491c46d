//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What no front has handed out: an entry of an earlier life that says so is damaged. The table of records has room for every job between the oldest
/// that is there and the newest, so one such entry would fill the memory.
extension JobLifecycle {
    /// Why no entry can add jobs of these ids; nil: it can.
    func fault(ofJobs ids: ClosedRange<UInt64>) -> String? {
        guard ids.lowerBound != 0 else { return "it adds a job 0, and the first is 1" }
        if let fault = fault(ofPassed: ids.upperBound) { return fault }
        let next = max(numbers.nextJob, numbers.reservedJobs, ids.upperBound)
        return fault(oldest: min(ids.lowerBound, slab.lowest ?? ids.lowerBound), next: next)
    }

    /// Why that id cannot have been handed out by then; nil: it can.
    func fault(ofPassed id: UInt64) -> String? {
        let next = max(numbers.nextJob, numbers.reservedJobs)
        guard id <= next || id - next <= JournalBounds.jobStep else { return "it names job \(id), and the next one was \(next)" }
        return fault(ofNext: id)
    }

    /// Why the next job cannot have that id; nil: it can.
    func fault(ofNext id: UInt64) -> String? { slab.lowest.flatMap { fault(oldest: $0, next: id) } }

    private func fault(oldest: UInt64, next: UInt64) -> String? {
        guard next > oldest, next - oldest > JournalBounds.jobSpan else { return nil }
        return "room is kept from job \(oldest) to job \(next), and no front keeps so much"
    }

    /// The oldest job that is there, if so many further ones would be too far from it: a journal that says so would be taken for damaged at last.
    /// What feeds load by themselves is not refused: there is far too little of it.
    func jobTooOld(for count: Int) -> UInt64? {
        guard let lowest = slab.lowest, numbers.nextJob + UInt64(count) > lowest + JournalBounds.servedJobSpan else { return nil }
        return slab.ids(from: lowest, chunkLimit: 1).ids.first
    }
}
