//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryModel
import Testing

@testable import gantry

@Suite("The next page of jobs")
struct JobListTests {
    @Test(
        "is one of the same jobs: the command for it has the filters of this one, as a shell takes them",
        arguments: [
            ([], "--before 7"), (["--before", "9", "--limit", "50"], "--before 7"), (["--limit", "3"], "--limit 3 --before 7"),
            (["--state", "failed", "--loader", "a b"], "--state failed --loader 'a b' --before 7"),
            (["--state", "failed,expired", "--state", "waiting"], "--state failed,expired --state waiting --before 7"),
            (["--tag", "a", "--tag", "b c"], "--tag a --tag 'b c' --before 7"),
        ])
    func filters(given: [String], expected: String) throws {
        #expect(try JobList.parse(given).command(before: JobID(7)) == "gantry job list \(expected)")
    }

    @Test("a job that is tried again is listed with when that is and why, one that has ended with its failure")
    func next() {
        let (now, due) = (WallTime(milliseconds: 1_798_135_200_000), WallTime(milliseconds: 1_798_135_260_000))
        var job = JobSummary(id: JobID(7), loader: "sleep", state: .scheduled, acceptedAt: now)
        (job.dueAt, job.waitReason) = (due, .backedOff(until: due))
        job.failure = Failure(code: .unreachable, text: "no answer", retryable: true, attempts: 2)
        #expect(JobList.why(job, at: now) == "tried again at 18:01:00 UTC; last attempt: unreachable: no answer")
        #expect(JobList.why(job, at: nil) == "tried again at 2026-12-24T18:01:00.000Z; last attempt: unreachable: no answer")
        (job.state, job.waitReason) = (.waiting, .slotsTaken)
        #expect(JobList.why(job, at: now) == "no slot is free for it; last attempt: unreachable: no answer")
        (job.state, job.waitReason) = (.failed, nil)
        #expect(JobList.why(job, at: now) == "unreachable: no answer")
        (job.state, job.failure) = (.succeeded, nil)
        #expect(JobList.why(job, at: now) == nil)
    }

    @Test("several states are taken, and all words that are none are named")
    func states() throws {
        let listed = [["--state", "waiting", "--state", "failed"], ["--state", "failed,waiting"]]
        for words in listed { #expect(try JobList.parse(words).states.value() == [.waiting, .failed]) }
        for (words, text) in [("waiting,", "no such state: \"\"; there"), ("asleep,waiting,gone", "no such states: asleep, gone; there")] {
            let error = #expect(throws: ValidationError.self) { try JobList.parse(["--state", words]).states.value() }
            #expect(error?.message.hasPrefix(text) == true, "\(error?.message ?? "")")
        }
    }
}
