//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Jobs for a bulk loader, in the order in which they are to run. Iterating copies no bytes.
public struct BulkJobs: Swift.Sequence, Sendable {
    private let work: BulkWork
    private let rows: Range<PackedBytes.Index>

    init(_ work: BulkWork, rows: Range<PackedBytes.Index>) {
        (self.work, self.rows) = (work, rows)
    }

    /// How many jobs there are.
    public var count: Int { rows.upperBound.row - rows.lowerBound.row }

    /// Goes over the jobs once.
    public func makeIterator() -> Iterator { Iterator(work: work, rows: rows) }

    /// Goes over the jobs of a batch.
    public struct Iterator: IteratorProtocol {
        private let work: BulkWork
        private var place: PackedBytes.Index
        private let end: PackedBytes.Index

        init(work: BulkWork, rows: Range<PackedBytes.Index>) {
            (self.work, place, end) = (work, rows.lowerBound, rows.upperBound)
        }

        /// The next job.
        public mutating func next() -> BulkJob? {
            guard place < end else { return nil }
            defer { work.arguments.formIndex(after: &place) }
            return BulkJob(job: JobID(work.jobs[place.row]), attempt: work.attempts[place.row], argument: work.arguments[place])
        }
    }
}
