//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// What jobs write while they run: it is kept for who looks at them, and decides nothing.
extension Workforce {
    /// Jobs have written lines; those of jobs that the worker does not hold are late. Where there is no room for lines they are counted.
    mutating func takeLogs(_ reports: [WorkerMessage.LogReport], worker index: Int, in turn: inout FrontTurn) {
        turn.step(reports.count)
        var logged = JournalEntry.JobsLogged()
        for report in reports {
            let id = report.job.rawValue
            guard turn.state.jobs.isHeld(id, by: index, under: report.lease.rawValue) else {
                turn.noteLateReports(.leaseNotHeld)
                continue
            }
            add(report.log, of: id, to: &logged, in: turn)
        }
        if !logged.jobs.isEmpty { turn.record(.jobsLogged(logged)) }
    }

    /// The last lines of jobs that a report says have ended; the report itself is answered elsewhere.
    mutating func takeLastLogs(of ended: WorkerMessage.Ended, worker index: Int, in turn: inout FrontTurn) {
        guard !ended.logs.isEmpty else { return }
        turn.step(ended.logs.count)
        var logged = JournalEntry.JobsLogged()
        for entry in ended.logs {
            let (id, lease) = (ended.jobs[Int(entry.index)], ended.leases[Int(entry.index)])
            if turn.state.jobs.isHeld(id, by: index, under: lease) { add(entry.value, of: id, to: &logged, in: turn) }
        }
        if !logged.jobs.isEmpty { turn.record(.jobsLogged(logged)) }
    }

    private mutating func add(_ log: JobLog, of id: UInt64, to logged: inout JournalEntry.JobsLogged, in turn: FrontTurn) {
        let (bounds, runs) = (turn.settings.bounds, turn.state.jobs.runs)
        loggedBytes += log.lineByteCount
        let hasRoom = loggedBytes <= bounds.turnLogByteCount && runs.liveLogByteCount < bounds.logByteCount
        var kept = hasRoom ? log : log.withoutLines
        if let state = log.resumeState {
            let more = state.count - (runs.resumeState(of: id)?.count ?? 0)
            if more > 0, savedBytes + runs.liveStateByteCount + more > bounds.resumeByteCount {
                kept = kept.withoutState
                // Its next attempt begins with what was saved before, and people are to know why.
                let known = "\(runs.liveStateByteCount) bytes (limit \(bounds.resumeByteCount))"
                let text = "what it saved is not kept: jobs that have not ended have saved \(known)"
                kept.append(LogLine(attempt: turn.state.jobs[id].attempts, at: turn.now.wall, text: text))
            } else {
                savedBytes += more
            }
        }
        logged.append(id, kept)
    }
}
