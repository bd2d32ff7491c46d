//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryAuditRecord
import GantryModel
import GantryPlatform

/// Writes down when jobs with limits begin and end, in the record of this process. Used by the loop's thread; jobs without limits never come here.
final class StartRecorder {
    private let record: RecordWriter?
    /// Receives why a start could not be written down, or nil once one could again.
    private let note: (String?) -> Void
    private var runs: [WorkToken: UInt64] = [:]
    private var fault: String?

    /// - Parameter record: nil: this worker has no folder for one, and gives jobs with limits back.
    init(_ record: RecordWriter?, note: @escaping (String?) -> Void = { _ in }) { (self.record, self.note) = (record, note) }

    /// A job is about to begin in a slot.
    /// - Returns: why it must not; nil: it may.
    func begin(_ work: WorkStart, _ limited: LimitedRun) -> Failure? {
        switch begin([(work.job, work.attempt, limited)]) {
        case .began(let run):
            if let run { runs[work.token] = run }
            return nil
        case .unwritten(let failure): return failure
        }
    }

    /// A job in a slot has ended.
    func end(_ token: WorkToken) {
        if let run = runs.removeValue(forKey: token) { record?.end(run) }
    }

    /// Jobs of a bulk loader, all with limits, run one after another in `body`, unless their starts cannot be written down.
    /// - Returns: why they did not run; nil: they did.
    func run(_ rows: Range<Int>, of work: BulkWork, _ body: () -> Void) -> Failure? {
        let jobs = rows.compactMap { row in
            work.limited[work.jobs[row]].map { (JobID(work.jobs[row]), work.attempts[row], $0) }
        }
        switch begin(jobs) {
        case .unwritten(let failure): return failure
        case .began(let run):
            body()
            if let run { record?.end(run) }
            return nil
        }
    }

    /// Until then the leases of all work hold.
    func noteLease(until end: MonotonicTime) { record?.noteLease(until: end.nanoseconds) }

    /// Whether a start was written down.
    private enum Start {
        /// Under the number by which its end is written; nil: nothing is to be.
        case began(UInt64?)
        /// Why it was not.
        case unwritten(Failure)
    }

    private func begin(_ jobs: [RecordWriter.Job]) -> Start {
        let error: SystemError
        if let record {
            do throws(SystemError) {
                let run = try record.begin(jobs)
                noteFault(nil)
                return .began(run)
            } catch let caught { error = caught }
        } else {
            error = SystemError(
                code: .notFound, context: "the worker has no folder for the record of its starts",
                nextStep: "give it the data folder of its front: WorkerConfiguration.recordFolder")
        }
        let text = "its start could not be recorded: \(error)".cut(to: MessageBounds.textByteCount)
        noteFault(text)
        let isFull = error.code == .diskFull || error.code == .quotaFull
        return .unwritten(Failure(code: isFull ? .storageFull : .storageFailed, text: text, retryable: true))
    }

    /// The same again is no news.
    private func noteFault(_ text: String?) {
        guard text != fault else { return }
        fault = text
        note(text)
    }
}
