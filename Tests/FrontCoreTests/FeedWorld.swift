//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import Testing

/// A front with one worker that does what feeds ask for, as one would: contents and orders have names of their own.
struct FeedWorld {
    var front: FrontHarness
    var worker = WorkerHarness(1)
    private var lastObject: UInt64 = 0
    /// Which saves each content holds.
    private(set) var saves: [ObjectDigest: Set<JobID>] = [:]

    init(_ change: (inout FrontSettings) -> Void = { _ in }) {
        front = FrontHarness(change)
        front.open()
        worker.register(with: &front, slots: 64)
    }

    static func key(_ text: String) throws -> FeedKey { try #require(FeedKey(text: text)) }

    mutating func object() -> ObjectReference {
        lastObject += 1
        return ObjectReference(digest: ObjectDigest(words: (lastObject, 7, 7, 7)), byteCount: 10, itemCount: 3)
    }

    /// What a worker makes of some work.
    mutating func result(of work: FeedWork, by job: JobID = .none, detail: String = "detail") -> FeedResult {
        var result = FeedResult()
        switch work.operation {
        case .load, .merge, .create, .update:
            let content = object()
            result.content = content
            // A merge and a save go on from what there is; a load begins anew.
            let before = work.operation == .load ? [] : work.content.flatMap { saves[$0.digest] } ?? []
            saves[content.digest] = work.operation == .load || work.operation == .merge ? before : before.union([job])
            if work.operation == .create { result.itemID = "made" }
        case .sort: break
        case .detail: result.detail = Array("\(work.itemID ?? "-") \(detail)".utf8)
        }
        if work.operation != .detail, work.sort != nil || !work.filter.isEmpty { result.order = object() }
        return result
    }

    /// Grants what can run.
    mutating func grant() { worker.take(front.settle()) }

    /// The worker tells how far the first job in its hands is; what that leads to.
    mutating func report(percent: UInt8) -> [String] {
        guard let held = worker.held.first else { return ["nothing runs"] }
        let report = WorkerMessage.ProgressReport(job: JobID(held.job), lease: LeaseID(held.lease), progress: JobProgress(percent: percent))
        return worker.send(.progress([report]), to: &front).lines
    }

    /// Ends a held job well.
    mutating func finish(_ job: UInt64, detail: String = "detail") {
        guard let work = worker.held.first(where: { $0.job == job })?.work else { return }
        let result = result(of: work, by: JobID(job), detail: detail)
        worker.take(worker.end(job, feed: result, in: &front))
    }

    /// Lets everything run to its end; what was cancelled ends as such.
    mutating func rest(detail: String = "detail") {
        grant()
        var left = 1_000
        while let job = worker.held.first?.job, left > 0 {
            left -= 1
            if front.job(JobID(job))?.state == .cancelling {
                worker.take(worker.end(job, .cancelled, in: &front))
            } else {
                finish(job, detail: detail)
            }
            grant()
        }
        #expect(left > 0, "it does not come to rest")
    }

    /// Asks, and gives the job that was accepted.
    mutating func accept(_ body: RequestBody) throws -> JobID {
        let reply = front.ask(body)
        guard case .accepted(let job, _)? = reply else { throw NotAccepted(reply: reply) }
        return job
    }

    struct NotAccepted: Error { let reply: Reply? }

    mutating func fail(_ job: JobID, _ code: FailureCode = .storageFailed) {
        let failure = Failure(code: code, text: "no", retryable: true)
        worker.take(worker.end(job.rawValue, .failed, failure: failure, in: &front))
    }
}
