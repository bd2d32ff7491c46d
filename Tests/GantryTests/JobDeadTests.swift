//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import StateFormatting
import Testing

@testable import gantry

@Suite("The dead set by cause")
struct JobDeadTests {
    private func job(_ id: UInt64, _ code: FailureCode, _ text: String, loader: String = "http", at time: Int64) -> JobSummary {
        var job = JobSummary(
            id: JobID(id), loader: loader, state: code == .quarantined ? .quarantined : .failed, acceptedAt: nil)
        job.endedAt = WallTime(milliseconds: 1_795_254_000_000 + time)
        job.failure = Failure(code: code, text: text)
        return job
    }

    private var causes: [DeadCause] {
        var causes = DeadCauses()
        causes.add(job(7, .unreachable, "the origin cannot be reached: connection refused", at: 3_000))
        causes.add(job(5, .unreachable, "the origin cannot be reached: no route", at: 1_000))
        causes.add(job(6, .quarantined, "segmentation fault at line 7", loader: "resize", at: 2_000))
        causes.add(job(8, .outcomeUnknown, "", loader: "pay", at: 9_000))
        return causes.ordered
    }

    @Test("jobs of one loader and code are one cause, most first, with the last one's words and what repeats them")
    func grouped() {
        let causes = causes
        #expect(causes.map(\.count) == [2, 1, 1] && causes.map(\.loader) == ["http", "pay", "resize"])
        #expect(causes[0].example == JobID(7) && causes[0].oldest < causes[0].newest && causes[0].text.hasSuffix("refused"))
        #expect(causes[0].nextStep(["--tag a"]) == "gantry job retry --code unreachable --loader http --tag a")
        #expect(causes[1].nextStep() == "gantry job retry --code outcomeUnknown --loader pay")
        #expect(causes[2].text == "segmentation fault at line 7" && causes[2].nextStep() == "gantry job show 6")
        let json = JSONValue.causes(causes).text
        #expect(json.contains(#""count":2"#) && json.contains(#""example":"7""#), "\(json)")
    }

    @Test("where there are none that is said, and whether options have chosen none")
    func none() {
        #expect(JobDead.none(areChosen: false, areRepeated: false) == "no failed or quarantined job is known")
        #expect(JobDead.none(areChosen: true, areRepeated: false) == "no job of that choice has failed or is quarantined")
        #expect(JobDead.none(areChosen: false, areRepeated: true).hasSuffix("is known, but for those that were repeated"))
    }

    @Test("what a worker calls its failure is one word for the shell that the advice is typed into")
    func quoted() {
        var causes = DeadCauses()
        causes.add(job(7, FailureCode(rawValue: "x; touch pwned $(id)"), "no", at: 1_000))
        #expect(causes.ordered[0].nextStep() == "gantry job retry --code 'x; touch pwned $(id)' --loader http")
    }

    @Test("what a repeat cannot mend is to be corrected: that advises no repeat, but for a feed, whose source may be another one by now")
    func inVain() {
        var causes = DeadCauses()
        causes.add(job(7, .invalidData, "no number", at: 1_000))
        let cause = causes.ordered[0]
        #expect(cause.nextStep() == "correct the argument and submit that, for a repeat fails again: gantry job show 7")
        let text = JobDead.table([cause], [], at: WallTime(milliseconds: 0), columns: 200)
        #expect(text.hasSuffix("\n  no number; next: \(cause.nextStep())"), "\(text)")
        var (ofFeeds, load) = (DeadCauses(), job(8, .invalidData, "no number", at: 1_000))
        load.feed = FeedKey(name: "todos")
        ofFeeds.add(load)
        #expect(ofFeeds.ordered[0].nextStep() == "gantry feed load todos" && !ofFeeds.ordered[0].failsAgain)
    }

    @Test("it fits narrow terminals, and the next step is never cut", arguments: [60, 80, 120])
    func width(columns: Int) {
        let text = JobDead.table(causes, [], at: WallTime(milliseconds: 1_795_254_000_000), columns: columns)
        for line in text.split(separator: "\n") { #expect(line.count <= columns, "\(line)") }
        let joined = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(joined.contains("gantry job retry --code unreachable --loader http"), "\(text)")
        #expect(joined.contains("segmentation fault at line 7") && joined.contains("JOBS CODE LOADER"))
        #expect(joined.contains("NEWEST (UTC) EXAMPLE"), "\(text)")
    }

    @Test("elsewhere each cause is one line")
    func wide() {
        let text = JobDead.table(causes, [], at: WallTime(milliseconds: 0), columns: nil)
        #expect(text.split(separator: "\n").count == 4)
    }
}
