//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
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

    @Test("what is being cancelled can be waited for, and what has ended needs nothing")
    func ends() {
        #expect(text(.cancelling).hasSuffix("\n  next: gantry job wait 7"))
        #expect(text(.succeeded).hasSuffix("\n  - accepted from a"))
    }
}
