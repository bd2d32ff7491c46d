//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Repeating failed saves")
struct SaveRetryTests {
    private let item = Array("{\"title\":\"a\"}".utf8)

    private func todos() throws -> FeedKey { try #require(FeedKey(text: "todos")) }

    /// A front with a worker and a create that has failed.
    private func afterFailure() throws -> (FrontHarness, WorkerHarness, FailureID) {
        var (front, worker) = FrontHarness.serving()
        let reply = front.ask(.feed(try todos(), .create(item: item)))
        let job = try #require(accepted(reply)?.job)
        try fail(job, &worker, &front)
        return (front, worker, FailureID(job.rawValue))
    }

    @Test("a reset that names the version it has looked at drops no save that was accepted since; one that names none drops all")
    func resetBesideSaves() throws {
        let key = try todos()
        var (front, worker) = FrontHarness.serving()
        let save = try #require(accepted(front.ask(.feed(key, .create(item: item))))?.job)
        guard case .refused(let failure, _)? = front.ask(.feed(key, .reset(version: ContentVersion.none))) else {
            Issue.record("it was not refused")
            return
        }
        #expect(failure.code == .conflict && failure.text.contains("has saves that have not ended"))
        #expect(front.job(save)?.state == .waiting)
        #expect(front.ask(.feed(key, .reset(version: nil))) == .done(version: 0))
        #expect(
            front.decided == [
                "entry cancelRequested 1", "entry ended 1 cancelled", "entry viewChanged todos/shared", "entry replyRetained 3 done",
                "client 7: reply 3 done", "changed view/todos/shared view",
            ])
        #expect(front.job(save)?.state == .cancelled)
        #expect(front.ask(.feed(key, .reset(version: ContentVersion.none))) == .done(version: 0))
        worker.take(front.settle())
    }

    private func fail(_ job: JobID, _ worker: inout WorkerHarness, _ front: inout FrontHarness) throws {
        worker.take(front.settle())
        let failure = Failure(code: .storageFull, text: "full", retryable: true)
        worker.take(worker.end(job.rawValue, .failed, failure: failure, in: &front))
        #expect(front.job(job)?.state == .failed)
    }

    private func succeed(_ job: JobID, _ worker: inout WorkerHarness, _ front: inout FrontHarness) {
        worker.take(front.settle())
        var made = FeedResult(source: .manual)
        made.content = ObjectReference(digest: ObjectDigest(words: (1, 2, 3, 4)), byteCount: 10, itemCount: 1)
        worker.take(worker.end(job.rawValue, feed: made, in: &front))
        #expect(front.job(job)?.state == .succeeded)
    }

    /// The job that repeats a failure.
    private func retry(_ failure: FailureID, _ front: inout FrontHarness, joined: Bool = false) throws -> JobID {
        let reply = front.ask(.feed(try todos(), .retry(view: "shared", failure: failure)))
        let answer = try #require(accepted(reply), "\(String(describing: reply))")
        #expect(answer.joined == joined)
        return answer.job
    }

    private func accepted(_ reply: Reply?) -> (job: JobID, joined: Bool)? {
        guard case .accepted(let job, let joined)? = reply else { return nil }
        return (job, joined)
    }

    private func refusal(_ failure: FailureID, _ front: inout FrontHarness) throws -> String? {
        let jobs = front.machine.state.jobs.numbers.nextJob
        guard case .refused(let failure, _)? = front.ask(.feed(try todos(), .retry(view: "shared", failure: failure))) else { return nil }
        #expect(front.machine.state.jobs.numbers.nextJob == jobs, "a refused retry made a job")
        return failure.text
    }

    @Test("a failed create that the feed does not show is saved again with its own item")
    func again() throws {
        var (front, worker, failure) = try afterFailure()
        #expect(front.feed(try todos())?.failure == nil)
        front.follow()
        let job = try retry(failure, &front)
        worker.take(front.settle())
        #expect(
            front.path() == [
                "entry feedJobAccepted 2 create todos", "entry replyRetained 2 accepted 2", "client 7: reply 2 accepted 2",
                "entry granted 2 to worker 1", "worker 1: settled 1", "worker 1: grant 2", "changed jobs job/2, workers worker/1",
            ])
        #expect(worker.held.first?.work?.operation == .create)
        #expect(worker.held.first?.work?.item == item)
        succeed(job, &worker, &front)
    }

    @Test("while the repetition is alive a second request joins it, from any session")
    func joined() throws {
        var (front, worker, failure) = try afterFailure()
        let job = try retry(failure, &front)
        #expect(try retry(failure, &front, joined: true) == job)
        worker.take(front.settle())
        front.open()
        #expect(try retry(failure, &front, joined: true) == job)
        #expect(worker.held.filter { $0.work?.operation == .create }.count == 1)
    }

    @Test("once the repetition has succeeded a second request is refused and makes nothing")
    func done() throws {
        var (front, worker, failure) = try afterFailure()
        let job = try retry(failure, &front)
        succeed(job, &worker, &front)
        #expect(
            try refusal(failure, &front)
                == "failure \(failure) of feed todos was repeated by job \(job), which succeeded: nothing is left to repeat")
    }

    @Test("when the repetition failed too, its own failure is the one to repeat")
    func failedAgain() throws {
        var (front, worker, failure) = try afterFailure()
        let second = try retry(failure, &front)
        try fail(second, &worker, &front)
        #expect(try refusal(failure, &front)?.hasSuffix("failed too: repeat failure \(second) instead") == true)
        succeed(try retry(FailureID(second.rawValue), &front), &worker, &front)
    }

    @Test("a repetition that was cancelled made nothing, so the failure can be repeated anew")
    func cancelled() throws {
        var (front, worker, failure) = try afterFailure()
        _ = front.ask(.job(.cancel(try retry(failure, &front))))
        let waiting = try retry(failure, &front)
        worker.take(front.settle())
        _ = front.ask(.job(.cancel(waiting)))
        #expect(front.job(waiting)?.state == .cancelling)
        let last = try retry(failure, &front)
        worker.take(worker.end(waiting.rawValue, .cancelled, in: &front))
        succeed(last, &worker, &front)
        #expect(try refusal(failure, &front) != nil)
    }

    @Test("that a failure was repeated is known after a restart, from rows and from a checkpoint", arguments: [false, true])
    func restart(hasCheckpoint: Bool) throws {
        var (front, worker, failure) = try afterFailure()
        let job = try retry(failure, &front)
        succeed(job, &worker, &front)
        var next = front.restarted()
        if hasCheckpoint {
            let turn = TurnNumber(UInt64(front.entries.count))
            next.machine = FrontMachine(settings: next.settings, now: next.now)
            next.machine.restore(front.machine.state.baseEntries(), of: turn, isSlice: true)
            next.machine.restore(front.machine.state.slice(from: 1, chunkLimit: 100).entries, of: turn, isSlice: true)
        }
        next.open()
        #expect(try refusal(failure, &next)?.contains("job \(job), which succeeded") == true)
    }

    @Test("a repetition that is forgotten already still keeps a second item from being made")
    func forgotten() throws {
        var (front, worker, failure) = try afterFailure()
        let job = try retry(failure, &front)
        succeed(job, &worker, &front)
        front.pass(milliseconds: 25 * 3_600_000)
        front.settle()
        #expect(front.job(job) == nil)
        front.open()
        #expect(try refusal(failure, &front)?.contains("job \(job), which is forgotten") == true)
    }
}
