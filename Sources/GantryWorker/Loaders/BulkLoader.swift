//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import GantryModel
import GantryPackedColumns

/// Code whose jobs take far less than a millisecond. They run in batches on the thread of the worker's loop itself, without a slot, a
/// task or a word of progress; while they run, the worker renews nothing, so they must never wait for anything.
public protocol BulkLoader: NamedLoader {
    /// Does jobs in their order and adds one outcome for each.
    ///
    /// - Parameters:
    ///   - jobs: up to 128 jobs.
    ///   - outcomes: outcome n belongs to job n; jobs left without one fail, further ones are ignored.
    func run(_ jobs: BulkJobs, into outcomes: inout BulkOutcomes)
}

/// One job of a bulk loader.
public struct BulkJob: Sendable {
    /// The job's id.
    public let job: JobID
    /// How often it was granted, from 1.
    public let attempt: UInt32
    /// What it was submitted with: a part of the batch, not a copy.
    public let argument: ArraySlice<UInt8>
}

/// Jobs for a bulk loader, in the order in which they are to run. Iterating copies no bytes.
public struct BulkJobs: Sequence, Sendable {
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

/// The outcomes of a batch of bulk jobs, as the columns in which they travel.
public struct BulkOutcomes: Sendable {
    /// Bytes of one result; more makes the job fail as `tooLarge`.
    static let resultByteCount = MessageBounds.payloadByteCount

    var columns: WorkerMessage.Ended
    private let work: BulkWork
    private let limit: Int

    /// Continues columns with the outcomes of rows up to `end`.
    init(_ columns: consuming WorkerMessage.Ended, of work: BulkWork, before end: Int) {
        self.columns = columns
        self.work = work
        limit = end - work.nextRow
    }

    /// How many jobs of the batch have no outcome yet.
    package var missingCount: Int { limit - columns.outcomes.count }

    /// The next job has that result.
    public mutating func succeed(_ result: ArraySlice<UInt8>) {
        guard missingCount > 0 else { return }
        guard result.count <= Self.resultByteCount else {
            let text = "the result has \(result.count) bytes (limit \(Self.resultByteCount)): put it into an object"
            return fail(LoaderFailure(.tooLarge, text))
        }
        columns.outcomes.append(.succeeded)
        columns.results.append(result)
    }

    /// The next job has failed.
    public mutating func fail(_ failure: LoaderFailure) {
        guard missingCount > 0 else { return }
        let index = columns.outcomes.count
        var value = failure.failure
        value.id = FailureID(work.jobs[work.nextRow + index])
        value.attempts = work.attempts[work.nextRow + index]
        columns.failures.append(Indexed(index: UInt32(index), value: value))
        columns.outcomes.append(.failed)
        columns.results.appendEmpty()
    }
}
