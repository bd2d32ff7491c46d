//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantrySettings
import Testing

@Suite("How long ended jobs are known, by gantry.yaml")
struct RetentionTests {
    @Test("each kind has a time and a number, and what is left out is as without the file")
    func read() throws {
        func read(_ jobs: String) throws -> JobRetention { try GantryConfiguration(yaml: "version: 1\n\(jobs)").retention }
        #expect(try read("") == JobRetention())
        let both = try read("jobs: { keep-ended: { for: 1h, at-most: 50 }, keep-failed: { for: 30d } }")
        #expect(both[.succeeded] == JobRetention.Rule(age: .seconds(3_600), count: 50))
        #expect(both[.failed] == JobRetention.Rule(age: .seconds(30 * 86_400), count: 100_000))
        #expect(try read("jobs: { keep-failed: { at-most: 1 } }")[.failed].age == .seconds(7 * 86_400))
        #expect(
            both.line == """
                jobs that succeeded are known for 1 h (the newest 50), cancelled and expired ones for 1 h (the newest 50), \
                failed and quarantined ones for 30 d (the newest 100,000)
                """)
        #expect(
            JobRetention().line == """
                jobs that succeeded are known for 1 d, cancelled and expired ones for 1 d, failed and quarantined ones for 7 d, \
                of each the newest 100,000
                """)
    }

    @Test(
        "what is not said of cancelled jobs is as of those that succeeded, in whatever order they stand",
        arguments: [
            ("", 86_400, 100_000), ("jobs: { keep-ended: { for: 1h, at-most: 50 } }", 3_600, 50),
            ("jobs: { keep-cancelled: { for: 30d }, keep-ended: { for: 1h, at-most: 50 } }", 30 * 86_400, 50),
            ("jobs: { keep-ended: { for: 1h, at-most: 50 }, keep-cancelled: { at-most: 7 } }", 3_600, 7),
            ("jobs: { keep-failed: { for: 1h, at-most: 50 } }", 86_400, 100_000),
        ])
    func cancelled(_ jobs: String, _ seconds: Int, _ count: Int) throws {
        let read = try GantryConfiguration(yaml: "version: 1\n\(jobs)").retention
        #expect(read[.cancelled] == JobRetention.Rule(age: .seconds(seconds), count: count))
    }

    @Test(
        "a mistake is named with its line and what is possible",
        arguments: [
            ("jobs: { keep-ended: { for: 10ms } }", "2: jobs.keep-ended: ended jobs are known for 1 second to 365 days"),
            ("jobs: { keep-ended: { for: 366d } }", "2: jobs.keep-ended.for \"366d\" is not between 1ms and 365d"),
            ("jobs:\n  keep-failed: { at-most: 0 }", "3: jobs.keep-failed.at-most is \"0\": write a number from 1 to 1000000"),
            ("jobs:\n  keep: { for: 1d }", "3: unknown key \"keep\" in jobs; known are keep-ended, keep-cancelled, keep-failed"),
            ("jobs: { keep-ended: 1d }", "2: "),
            ("jobs: { keep-cancelled: { for: 10ms } }", "2: jobs.keep-cancelled: ended jobs are known for 1 second to 365 days"),
        ])
    func mistakes(_ text: String, _ wanted: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try GantryConfiguration(yaml: "version: 1\n\(text)") }
        #expect(error?.description.contains(wanted) == true, "\(error?.description ?? "")")
    }
}
