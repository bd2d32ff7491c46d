//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

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
    public var missingCount: Int { limit - columns.outcomes.count }

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
