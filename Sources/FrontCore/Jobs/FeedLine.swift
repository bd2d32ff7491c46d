//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Jobs of a feed that run one after the other, in order of acceptance.
///
/// They are linked through their records in the feeds' job table: the links of the jobs' own records belong to the lane or the worker that the
/// first one stands in. So one goes from anywhere without a walk along those that wait.
struct FeedLine {
    /// The only one that may run; none: the line is empty.
    private(set) var first = JobID.none
    private(set) var last = JobID.none

    var isEmpty: Bool { first == .none }

    /// Puts a job at the end.
    mutating func append(_ id: JobID, in jobs: inout [UInt64: FeedJobRecord]) {
        jobs[id.rawValue]?.before = last
        if last == .none { first = id } else { jobs[last.rawValue]?.behind = id }
        last = id
    }

    /// Takes a job out, if it stands in the line.
    mutating func remove(_ id: JobID, in jobs: inout [UInt64: FeedJobRecord]) {
        guard contains(id, in: jobs), let record = jobs[id.rawValue] else { return }
        if record.before == .none { first = record.behind } else { jobs[record.before.rawValue]?.behind = record.behind }
        if record.behind == .none { last = record.before } else { jobs[record.behind.rawValue]?.before = record.before }
        jobs[id.rawValue]?.before = .none
        jobs[id.rawValue]?.behind = .none
    }

    /// Its jobs from one on, the last one first; all of them if that one does not stand in the line. Whoever takes jobs out meanwhile makes an
    /// array of them before.
    func backwards(from start: JobID = .none, in jobs: [UInt64: FeedJobRecord]) -> some Swift.Sequence<JobID> {
        sequence(first: contains(start, in: jobs) ? start : last) { jobs[$0.rawValue]?.before }.lazy.prefix { $0 != .none }
    }

    private func contains(_ id: JobID, in jobs: [UInt64: FeedJobRecord]) -> Bool {
        guard let record = jobs[id.rawValue] else { return false }
        return first == id || record.before != .none
    }
}
