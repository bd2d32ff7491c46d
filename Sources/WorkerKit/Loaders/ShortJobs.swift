//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Jobs for a short loader, in the order in which they are to run. Iterating copies no bytes.
public struct ShortJobs: Swift.Sequence, Sendable {
    private let work: ShortWork
    private let rows: Range<Int>
    private let offset: Int

    init(_ work: ShortWork, rows: Range<Int>, offset: Int) {
        (self.work, self.rows, self.offset) = (work, rows, offset)
    }

    /// How many jobs there are.
    public var count: Int { rows.count }

    /// Goes over the jobs once.
    public func makeIterator() -> Iterator { Iterator(work: work, rows: rows, offset: offset) }

    /// Goes over the jobs of a batch.
    public struct Iterator: IteratorProtocol {
        private let work: ShortWork
        private var row: Int
        private let end: Int
        private var offset: Int

        init(work: ShortWork, rows: Range<Int>, offset: Int) {
            (self.work, row, end, self.offset) = (work, rows.lowerBound, rows.upperBound, offset)
        }

        /// The next job.
        public mutating func next() -> ShortJob? {
            guard row < end else { return nil }
            let after = offset + Int(work.lengths[row])
            defer {
                row += 1
                offset = after
            }
            return ShortJob(job: JobID(work.jobs[row]), attempt: work.attempts[row], argument: work.arguments[offset..<after])
        }
    }
}
