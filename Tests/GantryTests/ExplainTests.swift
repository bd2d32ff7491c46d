//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import StateFormatting
import Testing

@testable import gantry

@Suite("What job explain prints")
struct ExplainTests {
    private func text(_ state: JobState) -> String {
        let job = JobSummary(id: JobID(7), loader: "sleep", state: state, acceptedAt: WallTime(milliseconds: 0))
        var explanation = JobExplanation(job: job)
        explanation.timeline = ["accepted from a"]
        return JobExplain.text(explanation)
    }

    @Test("a job that has not ended is told with what can be done about it", arguments: [JobState.waiting, .running])
    func goesOn(state: JobState) {
        let text = text(state)
        #expect(text.hasSuffix("\n  - accepted from a\n  next: gantry job wait 7, or gantry job cancel 7"), "\(text)")
    }

    @Test("when a job was accepted, granted and ended is told also of one that was run once, whose runs are not listed")
    func times() {
        var job = JobSummary(id: JobID(7), loader: "sleep", state: .running, acceptedAt: WallTime(milliseconds: 0))
        (job.worker, job.startedAt, job.attempts) = ("worker-1", WallTime(milliseconds: 1_000), 1)
        let lines = JobExplain.text(JobExplanation(job: job)).split(separator: "\n")
        #expect(lines[1] == "  accepted at 1970-01-01T00:00:00.000Z")
        #expect(lines[2] == "  run 1 at worker-1 since 1970-01-01T00:00:01.000Z")
        (job.worker, job.startedAt, job.state, job.endedAt) = ("", nil, .succeeded, WallTime(milliseconds: 2_000))
        let ended = JobExplain.text(JobExplanation(job: job)).split(separator: "\n")
        #expect(ended.dropFirst() == ["  accepted at 1970-01-01T00:00:00.000Z, ended at 1970-01-01T00:00:02.000Z"])
    }

    @Test("a run whose number is not that of its attempt says how many attempts are used")
    func usedAttempts() {
        var job = JobSummary(id: JobID(7), loader: "sleep", state: .running, acceptedAt: WallTime(milliseconds: 0))
        (job.worker, job.startedAt, job.attempts, job.options.retry) = ("w", WallTime(milliseconds: 1_000), 3, RetryRule(attempts: 1))
        func line() -> String? { JobExplanation(job: job).currentRunLines.first }
        #expect(line() == "  run 3 at w since 1970-01-01T00:00:01.000Z (0 of 1 attempt used)")
        job.options.retry = RetryRule()
        job.failure = Failure(code: .unreachable, text: "no answer", attempts: 1)
        #expect(line() == "  run 3 at w since 1970-01-01T00:00:01.000Z (1 of 5 attempts used)")
        job.failure?.attempts = 2
        #expect(line() == "  run 3 at w since 1970-01-01T00:00:01.000Z")
    }

    @Test("why a job is in quarantine is said once")
    func quarantined() {
        var job = JobSummary(id: JobID(7), loader: "sleep", state: .quarantined, acceptedAt: WallTime(milliseconds: 0))
        job.failure = Failure(code: .quarantined, text: "3 workers died")
        var explanation = JobExplanation(job: job)
        explanation.timeline = ["accepted from a", "quarantined"]
        let text = JobExplain.text(explanation)
        #expect(text.contains("7: sleep quarantined; 3 workers died\n") && text.ranges(of: "3 workers died").count == 1, "\(text)")
    }

    @Test("a cancelled job that never ran was not stopped, and one without crashes has none to forgive")
    func answers() {
        var job = JobSummary(id: JobID(7), loader: "sleep", state: .cancelled, acceptedAt: WallTime(milliseconds: 0))
        job.endedAt = WallTime(milliseconds: 250)
        #expect(job.line() == "sleep cancelled; ended 0.25 s after it was accepted")
        var receipt = CancelReceipt(requestedBy: "a", requestedAt: WallTime(milliseconds: 0))
        receipt.stoppedAt = WallTime(milliseconds: 250)
        job.cancel = receipt
        #expect(JobCancelling.text(job) == "job 7: cancelled before it started")
        job.attempts = 1
        #expect(JobCancelling.text(job) == "job 7: cancelled, stopped after 0.25 s")
        #expect(JobForgive.text(job, forgiven: 0) == "job 7: no crash was counted against it")
        #expect(JobForgive.text(job, forgiven: 1).hasPrefix("7: sleep cancelled"))
    }

    @Test("a job that cannot be forgiven now is told with what can be done about it")
    func unforgiven() {
        let conflict = CommandFailure(.conflict, code: .conflict, message: "job 7 is running", nextStep: "gantry job explain 7")
        func nextStep(_ state: JobState) -> String {
            let job = JobSummary(id: JobID(7), loader: "a b", state: state, acceptedAt: nil)
            return JobForgive.refusal(conflict, of: job).nextStep
        }
        #expect(nextStep(.running) == "gantry job wait 7, or let it wait when it goes back to the queue: gantry loader pause 'a b'")
        #expect(nextStep(.quarantined) == "gantry job retry 7" && nextStep(.succeeded) == "gantry job explain 7")
    }

    @Test("who asks for the lines of a job that wrote none reads that, and that a single run which succeeded is all there was")
    func unwritten() {
        var job = JobSummary(id: JobID(7), loader: "sleep", state: .succeeded, acceptedAt: WallTime(milliseconds: 0))
        func lines() -> [String] { JobExplanation(job: job).logLines(areShown: true) }
        #expect(lines() == ["  no run yet, and no line"])
        job.attempts = 1
        #expect(lines() == ["  one run, whose worker is not kept; it wrote nothing"])
        #expect(JobExplanation(job: job).logLines(areShown: false) == [])
        job.attempts = 2
        #expect(lines() == ["  log: nothing was written"])
    }

    @Test("where there is no worker at all, one is advised and no waiting")
    func noWorker() {
        let explanation = JobExplanation(job: JobSummary(id: JobID(7), loader: "sleep", state: .waiting, acceptedAt: nil))
        let text = JobExplain.text(explanation, lacksWorkers: true)
        #expect(text.hasSuffix("\n  next: gantry worker run, or gantry job cancel 7"), "\(text)")
    }

    @Test("what is being cancelled can be waited for, and what has ended needs nothing")
    func ends() {
        #expect(text(.cancelling).hasSuffix("\n  next: gantry job wait 7"))
        #expect(text(.succeeded).hasSuffix("\n  - accepted from a"))
    }
}
