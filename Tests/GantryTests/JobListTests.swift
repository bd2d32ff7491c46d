//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
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
            (["--tag", "a", "--tag", "b c"], "--tag a --tag 'b c' --before 7"),
        ])
    func filters(given: [String], expected: String) throws {
        #expect(try JobList.parse(given).command(before: JobID(7)) == "gantry job list \(expected)")
    }

    @Test("of several states is the newest of all, each job once, and goes on below the last that is shown")
    func joined() {
        func page(_ ids: [UInt64], next: UInt64? = nil) -> JobPage {
            JobPage(
                jobs: ids.map { JobSummary(id: JobID($0), loader: "noop", state: .running, acceptedAt: nil) }, next: next.map { JobID($0) })
        }
        func shown(_ pages: JobPage...) -> String {
            let joined = JobPage(joining: pages, limit: 3)
            return joined.jobs.map(\.id.description).joined(separator: " ") + (joined.next.map { ", next \($0)" } ?? "")
        }
        #expect(shown(page([9, 4]), page([7])) == "9 7 4" && shown(page([9, 4]), page([9])) == "9 4")
        #expect(shown(page([9, 4, 2]), page([7, 4])) == "9 7 4, next 4")
        #expect(shown(page([3, 2, 1], next: 1), page([])) == "3 2 1, next 1")
        #expect(shown(page([]), page([])) == "")
    }

    @Test("several states are taken, and a word that is none is named")
    func states() throws {
        #expect(try JobList.parse(["--state", "waiting", "--state", "failed"]).state == ["waiting", "failed"])
    }
}
