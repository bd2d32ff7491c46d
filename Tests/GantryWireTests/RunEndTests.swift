//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryWire
import Testing

@Suite("Runs with ends that a newer version knows")
struct RunEndTests {
    private let codec = WireCodec()

    private static func run(_ end: RunEnd, endedAt milliseconds: Int64) -> JobRun {
        JobRun(
            attempt: 1, worker: "w", startedAt: WallTime(milliseconds: 0), endedAt: WallTime(milliseconds: milliseconds), end: end)
    }

    private static let known = run(.failed, endedAt: 2)
    /// What is written in its place has an end that nobody knows yet.
    private static let newer = run(.stopped, endedAt: 1)

    /// The bytes with another end of those runs.
    private func spoiled(_ bytes: [UInt8]) -> [UInt8] {
        // Fields 4 (ended_at) and 5 (end).
        let field: [UInt8] = [0x20, 1, 0x28, RunEnd.stopped.rawValue]
        let starts = bytes.indices.filter { bytes[$0...].starts(with: field) }
        #expect(starts.count == 1)
        var spoiled = bytes
        for start in starts { spoiled[start + 3] = 99 }
        return spoiled
    }

    @Test("are left out of what is told of a job, and counted; the rest is read")
    func explanation() throws {
        var explanation = JobExplanation(job: Samples.smallJob, timeline: ["accepted"])
        func bytes() -> [UInt8] {
            let reply = FrontMessage.reply(number: RequestNumber(7), .explanation(explanation))
            return codec.encode(FrontEnvelope(front: FrontID(7), epoch: Epoch(5), session: SessionID(9), messages: [reply]))
        }
        for omitted in [0, 3, UInt32.max] {
            explanation.runs = JobRuns([Self.newer, Self.known], omitted: omitted)
            let read = try codec.decodeFront(spoiled(bytes())).messages
            explanation.runs = JobRuns([Self.known], omitted: max(omitted, omitted &+ 1))
            #expect(read == [.reply(number: RequestNumber(7), .explanation(explanation))])
        }
    }

    /// Entries that each have those runs.
    private func entries(_ runs: [Indexed<JobRun>], _ stored: JobRuns) -> [JournalEntry] {
        var ended = JournalEntry.EndedJobs(at: Samples.noon)
        (ended.jobs, ended.states, ended.results) = ([42, 43], [.cancelled, .cancelled], [[], []])
        var attempts = JournalEntry.AttemptsEnded(cause: .failed)
        attempts.jobs = [42, 43].map { JournalEntry.EndedAttempt(job: JobID($0), attempts: 2, crashCount: 0, isSuspected: false) }
        var jobs = Samples.stored
        (ended.runs, attempts.runs, jobs.runs) = (runs, runs, [Indexed(index: 1, value: stored)])
        return [.ended(ended), .attemptsEnded(attempts), .jobsStored(jobs)]
    }

    @Test("are left out of rows of the journal, of which all else is read")
    func rows() throws {
        let known = Indexed(index: 1, value: Self.known)
        let written = entries([Indexed(index: 0, value: Self.newer), known], JobRuns([Self.newer, Self.known]))
        let read = try written.map { try codec.decodeEntries(spoiled(codec.encode([$0]))) }
        #expect(read == entries([known], JobRuns([Self.known], omitted: 1)).map { [$0] })
    }
}
