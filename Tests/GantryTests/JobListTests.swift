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
            (["--state", "failed", "--loader", "a b"], "--loader 'a b' --state failed --before 7"),
            (["--tag", "a", "--tag", "b c"], "--tag a --tag 'b c' --before 7"),
        ])
    func filters(given: [String], expected: String) throws {
        #expect(try JobList.parse(given).command(before: JobID(7)) == "gantry job list \(expected)")
    }
}
