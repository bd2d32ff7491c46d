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
        #expect(lines[2] == "  attempt 1 at worker-1 since 1970-01-01T00:00:01.000Z")
        (job.worker, job.startedAt, job.state, job.endedAt) = ("", nil, .succeeded, WallTime(milliseconds: 2_000))
        let ended = JobExplain.text(JobExplanation(job: job)).split(separator: "\n")
        #expect(ended.dropFirst() == ["  accepted at 1970-01-01T00:00:00.000Z, ended at 1970-01-01T00:00:02.000Z"])
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

    @Test("what is being cancelled can be waited for, and what has ended needs nothing")
    func ends() {
        #expect(text(.cancelling).hasSuffix("\n  next: gantry job wait 7"))
        #expect(text(.succeeded).hasSuffix("\n  - accepted from a"))
    }
}
