//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryPlatform
import Logging

/// Runs loaders in tasks and bulk loaders on the calling thread.
final class LoaderRunner: WorkerRunner {
    private enum Kind {
        case slot(any Loader)
        case bulk(any BulkLoader)
    }

    /// Jobs of a bulk loader that run between two looks at the clock. Each takes far less than a millisecond, so a batch is over before a renewal
    /// is due.
    private static let batchCount = 128
    /// Bytes of outcomes after which no further batch is begun in a turn.
    private static let turnByteCount = MessageBounds.halfFrameByteCount

    /// How long work of each slot loader may take to stop, in the same order.
    let stopTimes: [Duration]
    /// What the loaders can do, in the order that the machine's indexes name.
    let declarations: [LoaderDeclaration]
    private let kinds: [Kind]
    /// After which time no further batch is begun in a turn: little beside the second between two renewals, which wait for it.
    private let turnLength: Duration
    private let inbox: WorkerInbox
    private let logger: Logger
    private let recorder: StartRecorder
    private let pool = BlockingPool(name: "gantry-jobs")
    private var tasks: [WorkToken: RunningTask] = [:]

    /// The task of a job, and where the job reads why it is cancelled.
    private struct RunningTask {
        let task: Task<Void, Never>
        let cancellation: Cancellation

        /// The reason is set first, so that code that notices the cancellation finds it.
        func cancel(because reason: CancelReason) {
            cancellation.note(reason)
            task.cancel()
        }
    }

    init(
        loaders: [any Loader], bulkLoaders: [any BulkLoader], inbox: WorkerInbox, logger: Logger,
        recorder: StartRecorder = StartRecorder(nil), turnLength: Duration = .milliseconds(10)
    ) {
        kinds = loaders.map { .slot($0) } + bulkLoaders.map { .bulk($0) }
        stopTimes = loaders.map { max(.zero, $0.stopTime) }
        declarations =
            loaders.map { LoaderDeclaration(name: $0.name, repeatable: $0.repeatable) }
            + bulkLoaders.map { LoaderDeclaration(name: $0.name, isBulk: true, repeatable: $0.repeatable) }
        self.inbox = inbox
        self.logger = logger
        self.recorder = recorder
        self.turnLength = turnLength
    }

    /// Whether a task has not reported its end.
    var isRunning: Bool { !tasks.isEmpty }

    func start(_ work: WorkStart) {
        guard case .slot(let loader) = kinds[work.loader] else { return }
        let inbox = self.inbox
        let token = work.token
        if let limited = work.limited, let failure = recorder.begin(work, limited) { return inbox.ended(token, .unstarted(failure)) }
        let cancellation = Cancellation()
        inbox.begin(token)
        let job = JobContext(
            job: work.job, attempt: work.attempt, grantedAt: work.wall, argument: work.argument, feedWork: work.feedWork,
            resumeState: work.resumeState, cancellation: cancellation, pool: pool, report: { inbox.progress(token, $0) },
            log: { inbox.log(token, $0) })
        let run = LoaderRun(loader: loader, job: job, logger: logger)
        let task = Task.detached {
            let end = await run.end()
            inbox.ended(token, end)
        }
        tasks[token] = RunningTask(task: task, cancellation: cancellation)
    }

    func cancel(_ token: WorkToken, because reason: CancelReason) { tasks[token]?.cancel(because: reason) }

    func kill(_ token: WorkToken) -> Bool {
        guard let own = tasks[token]?.cancellation.process, let process = ProcessID(rawValue: own.id) else { return false }
        // One that has ended just now needs no signal.
        if own.leadsGroup { try? ProcessControl.send(.kill, toGroupOf: process) }
        try? ProcessControl.send(.kill, to: process)
        return true
    }

    /// Cancels every task: the worker ends.
    func cancelAll() { for task in tasks.values { task.cancel(because: .workerStops) } }

    func takeReports(into reports: inout [WorkReport]) {
        let before = reports.count
        inbox.take(into: &reports)
        for case .ended(let token, _) in reports[before...] {
            tasks[token] = nil
            // Before the front learns of it and gives its permits to others.
            recorder.end(token)
        }
    }

    func noteLease(until end: MonotonicTime) { recorder.noteLease(until: end) }

    private static var now: MonotonicTime { MonotonicTime(nanoseconds: SystemClock.bootNanoseconds()) }

    func runBulk(_ work: BulkWork, into ended: inout WorkerMessage.Ended) -> Int {
        let deadline = Self.now.advanced(by: turnLength)
        var next = work.next
        repeat {
            let start = next
            let (loader, isLimited) = (work.loaders[start.row], work.isLimited(start.row))
            while next.row < work.jobs.count, next.row - start.row < Self.batchCount, work.loaders[next.row] == loader,
                work.isLimited(next.row) == isLimited
            {
                work.arguments.formIndex(after: &next)
            }
            if isLimited {
                runLimited(loader, start..<next, of: work, into: &ended)
            } else {
                run(loader, BulkJobs(work, rows: start..<next), of: work, before: next.row, into: &ended)
            }
        } while next.row < work.jobs.count && ended.greatestByteCount < Self.turnByteCount && Self.now < deadline
        ended.jobs.append(contentsOf: work.jobs[work.nextRow..<next.row])
        ended.leases.append(contentsOf: work.leases[work.nextRow..<next.row])
        return next.row - work.nextRow
    }

    /// Runs jobs with limits, or gives them back where their starts cannot be written down.
    private func runLimited(_ loader: UInt32, _ rows: Range<PackedBytes.Index>, of work: BulkWork, into ended: inout WorkerMessage.Ended) {
        let numbers = rows.lowerBound.row..<rows.upperBound.row
        let failure = recorder.run(numbers, of: work) {
            run(loader, BulkJobs(work, rows: rows), of: work, before: rows.upperBound.row, into: &ended)
        }
        guard var failure else { return }
        for row in numbers {
            (failure.id, failure.attempts) = (FailureID(work.jobs[row]), work.attempts[row])
            ended.failures.append(Indexed(index: UInt32(ended.outcomes.count), value: failure))
            ended.outcomes.append(.returned)
            ended.results.appendEmpty()
        }
    }

    private func run(_ loader: UInt32, _ jobs: BulkJobs, of work: BulkWork, before end: Int, into ended: inout WorkerMessage.Ended) {
        // The columns move into the outcomes and back, so that they are appended to in place.
        var columns = WorkerMessage.Ended(report: 0)
        swap(&columns, &ended)
        var outcomes = BulkOutcomes(columns, of: work, before: end)
        columns = WorkerMessage.Ended(report: 0)
        if case .bulk(let loader) = kinds[Int(loader)] { loader.run(jobs, into: &outcomes) }
        while outcomes.missingCount > 0 {
            outcomes.fail(LoaderFailure(.invalidData, "the loader gave no outcome for this job: mend the loader"))
        }
        swap(&outcomes.columns, &ended)
    }
}

/// One job in the hands of one loader.
struct LoaderRun: Sendable {
    let loader: any Loader
    let job: JobContext
    let logger: Logger

    /// Runs the loader and says how it ended, once none of its blocking calls is at the job's work any more.
    func end() async -> WorkEnd {
        let end = await outcome()
        await job.calls.wait()
        return end
    }

    /// What the loader came to; a failure after the task was cancelled counts as cancelled.
    private func outcome() async -> WorkEnd {
        do {
            try Task.checkCancellation()
            let result = try await loader.run(job)
            return .succeeded(result.bytes, result.feed)
        } catch is CancellationError {
            return .cancelled
        } catch let snooze as JobSnooze {
            return Task.isCancelled ? .cancelled : snooze.end(isFeedJob: job.feedWork != nil)
        } catch let failure as LoaderFailure {
            if Task.isCancelled { return .cancelled }
            if let cause = failure.cause { logger.info("a loader failed", metadata: metadata(of: cause)) }
            return .failed(failure.failure)
        } catch {
            if Task.isCancelled { return .cancelled }
            logger.error("a loader failed with an error of its own", metadata: metadata(of: error))
            let text = "loader \(loader.name) failed with \(type(of: error)): see the worker's log of job \(job.job), then retry"
            return .failed(LoaderFailure(.loaderFailed, text, retryable: true).failure)
        }
    }

    /// Descriptions often carry addresses with tokens: everybody sees the failure, few the log.
    private func metadata(of error: some Sendable) -> Logger.Metadata {
        ["job": "\(job.job)", "loader": "\(loader.name)", "error": "\(error)"]
    }
}
