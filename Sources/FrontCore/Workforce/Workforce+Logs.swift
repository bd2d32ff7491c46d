//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

// What jobs write while they run: it is kept for who looks at them, and decides nothing.
extension Workforce {
    /// Jobs have written lines; those of jobs that the worker does not hold are late. Where there is no room for lines they are counted. On a full disk
    /// nothing is kept of them: the room that is left is for how jobs end.
    mutating func takeLogs(_ reports: [WorkerMessage.LogReport], worker index: Int, in turn: inout FrontTurn) {
        turn.step(reports.count)
        var (logged, savedByteCount) = (JournalEntry.JobsLogged(), 0)
        for report in reports {
            let id = report.job.rawValue
            guard turn.state.jobs.isHeld(id, by: index, under: report.lease.rawValue) else {
                turn.noteLateReports(.leaseNotHeld)
                continue
            }
            // Who writes lines has read its grant and has begun, so that work must not run twice.
            turn.state.jobs.noteSeen(id)
            if !turn.context.storageIsFull { add(report.log, of: id, to: &logged, &savedByteCount, in: turn) }
        }
        if !logged.jobs.isEmpty { turn.record(.jobsLogged(logged)) }
    }

    /// The last lines of jobs that a report says have ended; the report itself is answered elsewhere.
    mutating func takeLastLogs(of ended: WorkerMessage.Ended, worker index: Int, in turn: inout FrontTurn) {
        guard !ended.logs.isEmpty, !turn.context.storageIsFull else { return }
        turn.step(ended.logs.count)
        var (logged, savedByteCount) = (JournalEntry.JobsLogged(), 0)
        for entry in ended.logs {
            let (id, lease) = (ended.jobs[Int(entry.index)], ended.leases[Int(entry.index)])
            if turn.state.jobs.isHeld(id, by: index, under: lease) { add(entry.value, of: id, to: &logged, &savedByteCount, in: turn) }
        }
        if !logged.jobs.isEmpty { turn.record(.jobsLogged(logged)) }
    }

    private static let notSaved = "what it saves is not kept: jobs that have not ended have saved all that the front keeps of that"

    /// - Parameter savedByteCount: What the jobs of the entry have saved, which counts among what is kept once that is recorded.
    private mutating func add(
        _ log: JobLog, of id: UInt64, to logged: inout JournalEntry.JobsLogged, _ savedByteCount: inout Int, in turn: FrontTurn
    ) {
        let (bounds, runs) = (turn.settings.bounds, turn.state.jobs.runs)
        loggedByteCount += log.lineByteCount
        let hasRoom = loggedByteCount <= bounds.turnLogByteCount && runs.live.lineByteCount < bounds.logByteCount
        var kept = hasRoom ? log : log.withoutLines
        // Said of a report alone: an entry that is read again says nothing of it.
        kept.leaveOut(0)
        if log.oversizedByteCount > 0, hasRoom {
            let text = "what it saves is not kept: \(log.oversizedByteCount) bytes, and \(JobLog.resumeByteCount) are the most"
            kept.append(LogLine(attempt: turn.state.jobs[id].attempts, at: turn.now.wall, text: text))
        }
        if let state = log.resumeState {
            let more = max(0, state.count - (runs.resumeState(of: id)?.count ?? 0))
            if more > 0, savedByteCount + runs.live.stateByteCount + more > bounds.resumeByteCount {
                kept = kept.withoutState
                // Its next attempt begins with what was saved before, and people are to know why; once is enough.
                let line = LogLine(attempt: turn.state.jobs[id].attempts, at: turn.now.wall, text: Self.notSaved)
                if hasRoom, runs.log(of: id)?.lines.last?.text != line.text { kept.append(line) }
            } else {
                savedByteCount += more
            }
        }
        logged.append(id, kept)
    }
}
