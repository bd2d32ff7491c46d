//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The jobs that have ended and are still known, oldest first: which go next, what they failed with, and what they take.
///
/// Failed and quarantined ones are kept apart, and longer: none is hidden behind newer jobs, however many.
struct EndedJobs {
    /// Those that succeeded or were cancelled.
    private(set) var others = JobLine()
    /// Those that failed or were quarantined.
    private(set) var failed = JobLine()
    /// Why, of those that say so.
    private(set) var failures: [UInt64: Failure] = [:]
    /// What those that failed did so with.
    private(set) var tally = FailureTally()
    /// Bytes that the others take, and that those that failed do.
    private(set) var otherByteCount = 0
    private(set) var failedByteCount = 0

    var count: Int { others.count + failed.count }

    /// What a job failed with, that stands among those that did.
    func failureCode(of id: UInt64, in slab: JobSlab) -> FailureCode {
        failures[id]?.code ?? (slab[id].state == .quarantined ? .quarantined : FailureCode(rawValue: "unknown"))
    }

    /// Notes why a job failed.
    mutating func noteFailure(_ failure: Failure, of id: UInt64) { failures[id] = failure }

    /// Puts a job that has ended at the end of its line.
    mutating func append(_ id: UInt64, _ state: JobState, in slab: inout JobSlab) {
        slab[id].place = .history
        if state == .failed || state == .quarantined {
            slab[id].flags.insert(.inFailedHistory)
            failed.append(id, in: &slab)
        } else {
            others.append(id, in: &slab)
        }
    }

    /// Counts in what a job takes that stands in a line, once all is known of it.
    mutating func count(_ id: UInt64, byteCount: Int, in slab: JobSlab) {
        if slab[id].flags.contains(.inFailedHistory) {
            tally.add(failureCode(of: id, in: slab))
            failedByteCount += byteCount
        } else {
            otherByteCount += byteCount
        }
    }

    /// Takes a job out.
    mutating func remove(_ id: UInt64, byteCount: Int, in slab: inout JobSlab) {
        if slab[id].flags.contains(.inFailedHistory) {
            tally.remove(failureCode(of: id, in: slab))
            failedByteCount -= byteCount
            failed.remove(id, in: &slab)
        } else {
            otherByteCount -= byteCount
            others.remove(id, in: &slab)
        }
        if !failures.isEmpty { failures[id] = nil }
    }

    /// The job that goes next because there are too many, or they take too much; nil: none has to.
    func firstBeyond(_ bounds: Bounds) -> UInt64? {
        if count > bounds.endedJobs { return others.isEmpty ? failed.first : others.first }
        if otherByteCount > bounds.endedByteCount, !others.isEmpty { return others.first }
        if failedByteCount > bounds.endedByteCount, !failed.isEmpty { return failed.first }
        return nil
    }

    /// The job that is too old first, and when; nil: there is none.
    func firstAged(_ bounds: Bounds, in slab: JobSlab) -> (job: UInt64, at: WallTime)? {
        func first(of line: JobLine, _ milliseconds: Int64) -> (job: UInt64, at: WallTime)? {
            line.isEmpty ? nil : (line.first, WallTime(milliseconds: slab[line.first].changedAt).adding(milliseconds: milliseconds))
        }
        let oldest = first(of: others, bounds.endedMilliseconds)
        guard let failed = first(of: failed, bounds.failedMilliseconds) else { return oldest }
        guard let oldest, oldest.at <= failed.at else { return failed }
        return oldest
    }
}
