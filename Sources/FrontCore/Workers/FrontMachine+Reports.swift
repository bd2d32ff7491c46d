//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Jobs have ended at a worker; only the current lease of each counts.
    mutating func takeEnded(_ report: WorkerMessage.Ended, worker index: Int, _ peer: PeerID) {
        var ended = Fact.EndedJobs(at: turn.now.wall)
        var returned: [UInt64] = []
        var unasked: [UInt64] = []
        ended.jobs.reserveCapacity(report.jobs.count)
        ended.states.reserveCapacity(report.jobs.count)
        ended.results.reserveCapacity(report.jobs.count, byteCount: report.results.byteCount)
        turn.step(report.jobs.count)
        var nextFailure = 0
        var feedRows: [(id: UInt64, row: UInt32)] = []
        // Neighbours among the results, to be copied together.
        var next = report.results.startIndex
        var taken = next..<next
        // A job that is named twice has one outcome: its first. Columns that only ascend name none twice, and ask for no memory.
        var named: Set<UInt64>? = report.jobs.isAscending ? nil : []
        for (row, id) in report.jobs.enumerated() {
            let start = next
            report.results.formIndex(after: &next)
            while nextFailure < report.failures.count, report.failures[nextFailure].index < UInt32(row) { nextFailure += 1 }
            guard named?.insert(id).inserted ?? true, isHeld(id, by: index, under: report.leases[row]),
                let outcome = Outcome(rawValue: report.outcomes[row])
            else {
                turn.noteLateReports(.leaseNotHeld)
                continue
            }
            let isCancelling = state.jobs[id].state == .cancelling
            if outcome == .returned, !isCancelling {
                returned.append(id)
                continue
            }
            if outcome == .cancelled, !isCancelling {
                unasked.append(id)
                continue
            }
            let final: JobState = isCancelling ? .cancelled : outcome == .succeeded ? .succeeded : .failed
            if final == .failed {
                let hasFailure = nextFailure < report.failures.count && report.failures[nextFailure].index == UInt32(row)
                var failure =
                    hasFailure ? report.failures[nextFailure].value : Failure(code: .invalidData, text: "the loader gave no reason")
                failure.id = FailureID(id)
                failure.attempts = state.jobs[id].attempts
                ended.failures.append(Indexed(index: UInt32(ended.jobs.count), value: failure))
            }
            ended.jobs.append(id)
            ended.states.append(final.rawValue)
            if final != .succeeded || taken.upperBound != start {
                ended.results.append(contentsOf: report.results[taken])
                taken = start..<start
            }
            if final == .succeeded { taken = taken.lowerBound..<next } else { ended.results.appendEmpty() }
            if state.jobs[id].flags.contains(.isFeedJob) { feedRows.append((id, UInt32(row))) }
        }
        ended.results.append(contentsOf: report.results[taken])
        if !ended.jobs.isEmpty { applyEnds(ended, feedRows, report.feedResults) }
        if !returned.isEmpty {
            state.workers.holdBack(index)
            giveBack(returned)
        }
        if !unasked.isEmpty { loseJobs(unasked, suspected: false, isCounted: false) }
        state.workers.owe(report.report, to: index, in: &turn)
        noteWorker(index)
    }

    /// Whether a worker holds a job under that lease now: what it says of an older one is late.
    private func isHeld(_ id: UInt64, by index: Int, under lease: UInt64) -> Bool {
        guard state.jobs.contains(id), state.jobs[id].place == .held else { return false }
        return state.jobs[id].lease == lease && Int(state.jobs[id].worker) == index
    }

    private mutating func applyEnds(
        _ ended: Fact.EndedJobs, _ feedRows: [(id: UInt64, row: UInt32)], _ results: [Indexed<FeedResult>]
    ) {
        // Who fails or is cancelled has not run as long as such a job takes.
        for (index, id) in ended.jobs.enumerated() where ended.states[index] == JobState.succeeded.rawValue {
            guard !state.jobs[id].flags.contains(.isShort) else { continue }
            lengths.note(loader: Int(state.jobs[id].loader), seconds: state.jobs[id].runSeconds(at: turn.now.wall))
        }
        record(.ended(ended))
        for (index, id) in ended.jobs.enumerated() {
            guard let outcome = JobState(rawValue: ended.states[index]) else { continue }
            let record = state.jobs[id]
            if record.flags.contains(.isShort) {
                owe(id, outcome)
                noteJob(id, "job")
                continue
            }
            let failure = ended.failures.isEmpty ? nil : ended.failures.first { $0.index == UInt32(index) }?.value
            let row = record.flags.contains(.isFeedJob) ? feedRows.first { $0.id == id }?.row : nil
            let result = row.flatMap { row in results.first { $0.index == row }?.value }
            jobEnded(id, outcome, failure: failure, feedResult: result)
        }
    }

    /// Jobs whose grant came to nothing wait again; the grant does not count.
    mutating func giveBack(_ jobs: [UInt64]) {
        record(.returned(Fact.ReturnedJobs(jobs: jobs)))
        for id in jobs {
            jobViews.unlist(id, in: &turn)
            noteJob(id, "job")
            feedJobWaits(id)
        }
    }

    /// Notes how far running jobs are; several reports in one turn merge.
    mutating func takeProgress(_ reports: [WorkerMessage.ProgressReport], worker index: Int) {
        turn.step(reports.count)
        for report in reports {
            let id = report.job.rawValue
            guard isHeld(id, by: index, under: report.lease.rawValue), state.jobs[id].state == .running else {
                turn.noteLateReports(.leaseNotHeld)
                continue
            }
            jobViews.noteProgress(report.progress, of: id, in: &turn)
            if let job = state.jobs.keyLines[id]?.job, state.feeds[job.key]?.state.activity.job == job.job {
                turn.emit(.changed(.feed(job.key), key: "progress"))
            }
        }
    }
}

extension [UInt64] {
    /// Whether each element is greater than the one before it.
    fileprivate var isAscending: Bool {
        for index in indices.dropFirst() where self[index] <= self[index - 1] { return false }
        return true
    }
}
