//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import Simulation

@Suite("The turns of clients, as a world compares them")
struct ShareWatchTests {
    private let one = ShareWatch.Line(loader: "slow", client: "one")
    private let two = ShareWatch.Line(loader: "slow", client: "two")

    /// Job 1 of the second client has waited since the first grant.
    private func watch(_ weights: [String: UInt32] = [:]) -> ShareWatch {
        var watch = ShareWatch()
        watch.weights = weights
        _ = watch.take([one], last: [two: 1], waits: { $0 == 1 }, batch: { _ in 1 })
        return watch
    }

    private func faults(_ watch: inout ShareWatch, _ granted: [ShareWatch.Line], batch: Int = 1) -> [String] {
        watch.take(granted, last: [two: 1], waits: { $0 == 1 }, batch: { _ in batch })
    }

    @Test("turns that alternate are fair, and those of one client alone are not while a job of another one waits")
    func alternating() {
        var watch = watch()
        for _ in 1...50 { #expect(faults(&watch, [one, two]).isEmpty) }
        #expect(faults(&watch, Array(repeating: one, count: 3)).isEmpty)
        let text = "job 1 of \"two\" (weight 1) waits, of whose slow jobs 50 are granted meanwhile, and 54 of \"one\" (weight 1)"
        #expect(faults(&watch, [one]) == [text])
    }

    @Test("a client that weighs more has as many turns more")
    func weights() {
        var watch = watch(["one": 3])
        for _ in 1...50 { #expect(faults(&watch, [one, one, one, two]).isEmpty) }
        var other = self.watch(["two": 3])
        #expect(!(1...50).flatMap { _ in faults(&other, [one, one, one, two]) }.isEmpty)
    }

    @Test("bulk jobs come to a client many at once")
    func bulk() {
        var watch = watch()
        #expect(faults(&watch, Array(repeating: one, count: 64), batch: 64).isEmpty)
        #expect(faults(&watch, Array(repeating: one, count: 64), batch: 64).isEmpty)
        #expect(!faults(&watch, Array(repeating: one, count: 64), batch: 64).isEmpty)
    }

    @Test("what was granted before a front began, a pause ended or a job waited counts for nothing")
    func begins() {
        let job = JobID(1)
        let paused = JournalEntry.pauseChanged(JournalEntry.PauseChanged(.everything, nil))
        let delayed = JournalEntry.jobDelayed(JournalEntry.JobDelayed(job, .length(1), lengthTime: 0))
        for entry in [paused, delayed] {
            var watch = watch()
            #expect(faults(&watch, Array(repeating: one, count: 3)).isEmpty)
            watch.take(entry)
            #expect(faults(&watch, [one]).isEmpty)
            #expect(faults(&watch, Array(repeating: one, count: 3)).isEmpty)
        }
        var watch = watch()
        for _ in 1...50 { #expect(watch.take([one], last: [:], waits: { _ in false }, batch: { _ in 1 }).isEmpty) }
    }
}
