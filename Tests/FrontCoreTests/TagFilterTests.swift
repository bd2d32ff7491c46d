//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Lists of jobs with some tags")
struct TagFilterTests {
    private func list(_ query: JobQuery, in front: inout FrontHarness) -> (jobs: [JobID], next: JobID?)? {
        guard case .jobs(let jobs, let next, _)? = front.ask(.job(.list(query))) else { return nil }
        return (jobs.map(\.id), next)
    }

    /// Ten jobs, the odd ones with the tag `odd`, each third one with `third`.
    private func front() -> (FrontHarness, JobID) {
        var front = FrontHarness()
        front.open()
        let options = (0..<10).map { number in
            JobOptions(tags: (number % 2 == 1 ? ["odd"] : []) + (number % 3 == 0 ? ["third"] : []))
        }
        let first = front.submit(10, loader: "slow", JobOptionsColumn(options))
        return (front, first)
    }

    @Test("have all the tags that are asked for, in any order, and a page goes on where the last one ended")
    func all() throws {
        var (front, first) = front()
        func numbers(_ query: JobQuery) throws -> [UInt64] {
            try #require(list(query, in: &front)).jobs.map { $0.rawValue - first.rawValue }
        }
        #expect(try numbers(JobQuery(tags: ["odd"])) == [9, 7, 5, 3, 1])
        #expect(try numbers(JobQuery(tags: ["third", "odd"])) == [9, 3])
        #expect(try numbers(JobQuery(loader: "other", tags: ["odd"])) == [])
        #expect(try numbers(JobQuery(tags: ["odd", "nobody's"])) == [])
        #expect(try numbers(JobQuery()).count == 10)
        let page = try #require(list(JobQuery(tags: ["odd"], limit: 2), in: &front))
        #expect(page.next == page.jobs.last)
        #expect(try numbers(JobQuery(tags: ["odd"], limit: 2, before: page.next)) == [5, 3])
        #expect(front.job(first.advanced(by: 3))?.options.tags == ["odd", "third"])
    }

    @Test("of failed jobs too, and tags stay with the job over its end and a restart")
    func failed() throws {
        var (front, first) = front()
        var worker = WorkerHarness(1)
        worker.register(with: &front, slots: 10)
        worker.take(front.settle())
        for job in worker.held.map(\.job) {
            worker.take(worker.end(job, .failed, failure: Failure(code: .invalidData, text: "no list", attempts: 1), in: &front))
        }
        front.settle()
        var next = front.restarted()
        let found = try #require(list(JobQuery(state: .failed, tags: ["odd", "third"]), in: &next))
        #expect(found.jobs.map { $0.rawValue - first.rawValue } == [9, 3])
        #expect(next.machine.state.termsMiscount == nil)
    }

    @Test("tags that no job can have are refused by name")
    func refused() {
        var (front, _) = front()
        guard case .refused(let failure, _)? = front.ask(.job(.list(JobQuery(tags: ["a,b"])))) else {
            Issue.record("no refusal")
            return
        }
        #expect(failure.code == .invalidData && failure.text == "a tag has no comma, unlike \"a,b\"")
    }

    @Test("a list costs a step for each job it looks at and one for each terms, however few it finds")
    func steps() {
        var front = FrontHarness()
        front.open()
        for number in 0..<20 { _ = front.submit(500, loader: "slow", JobOptionsColumn(JobOptions(tags: ["tag \(number)"]))) }
        func steps(_ query: JobQuery) -> UInt64 {
            let before = front.machine.steps
            _ = list(query, in: &front)
            return front.machine.steps - before
        }
        let byLoader = steps(JobQuery(loader: "other"))
        #expect(byLoader >= 10_000)
        #expect(steps(JobQuery(tags: ["nobody's"])) == byLoader + 20)
        #expect(steps(JobQuery(loader: "other", tags: ["nobody's"])) == byLoader)
    }

    @Test("texts in options count as bytes of the queue")
    func bytes() {
        var front = FrontHarness { $0.bounds.queuedByteCount = 5_000 }
        front.open()
        var accepted = 0
        for number in 0..<20 {
            let tags = (0..<8).map { "\(number)-\($0)-" + String(repeating: "x", count: 55) }
            if front.submit(1, loader: "slow", JobOptionsColumn(JobOptions(tags: tags))) != .none { accepted += 1 }
        }
        #expect((3...6).contains(accepted), "\(accepted)")
        #expect(front.machine.state.jobs.terms.byteCount <= 5_000 + RoughSize.name)
    }
}
