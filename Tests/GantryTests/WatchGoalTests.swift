//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import gantry

@Suite("What watch waits for")
struct WatchGoalTests {
    @Test(
        "what never comes to any of the topics is told with what can",
        arguments: [
            (.loaded, [.jobs, .front], "the topics jobs, front are never loaded", "use --until idle, or watch a feed, a view or a job"),
            (.failed, [.jobs], "the topic jobs is never failed", "use --until idle, or watch a feed, a view or a job"),
            (.idle, [.storage], "the topic storage is never idle", "give --until a sequence number, or watch a feed, a view or a job"),
        ] as [(WatchGoal, [Topic], String, String)])
    func never(goal: WatchGoal, topics: [Topic], message: String, nextStep: String) {
        #expect(!topics.contains(where: goal.canCome))
        let failure = goal.failure(of: topics)
        #expect(failure.message == message && failure.nextStep == nextStep)
        #expect(failure.status == .usage)
    }

    @Test("feeds, views and jobs can be whatever is waited for; jobs and workers idle; each topic has sequence numbers")
    func comes() throws {
        for topic in [Topic.feed(try #require(FeedKey(name: "a"))), .job(JobID(1))] {
            for goal in [WatchGoal.idle, .loaded, .failed] { #expect(goal.canCome(to: topic)) }
        }
        for topic in [Topic.jobs, .workers] { #expect(WatchGoal.idle.canCome(to: topic)) }
        for topic in [Topic.jobs, .workers, .front, .storage] { #expect(WatchGoal.sequence(3).canCome(to: topic)) }
    }

    @Test("jobs alone end a watch with the last end, as the first named that did not succeed ends a command; beside others they do not")
    func ends() throws {
        func job(_ id: UInt64, _ state: JobState) -> JobSummary {
            JobSummary(id: JobID(id), loader: "sleep", state: state, acceptedAt: nil)
        }
        func codes(_ ends: JobSummary...) throws -> [Int32?] {
            var jobs = try #require(WatchedJobs([.job(JobID(1)), .job(JobID(2))]))
            return ends.map { jobs.note($0) ? jobs.failure?.status.rawValue ?? 0 : nil }
        }
        #expect(try codes(job(2, .succeeded), job(1, .succeeded)) == [nil, 0])
        #expect(try codes(job(2, .failed), job(1, .cancelled)) == [nil, 4] && codes(job(1, .succeeded), job(2, .failed)) == [nil, 3])
        #expect(try codes(job(1, .expired), job(2, .failed)) == [nil, 5] && codes(job(1, .quarantined), job(2, .succeeded)) == [nil, 3])
        #expect(try codes(job(1, .failed), job(1, .failed)) == [nil, nil])
        #expect(WatchedJobs([.job(JobID(1)), .jobs]) == nil && WatchedJobs([]) == nil)
    }
}
