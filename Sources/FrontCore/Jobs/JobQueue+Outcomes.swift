//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JobQueue {
    /// Notes that the sessions that handed jobs in are owed how these have ended.
    mutating func owe(_ ended: JournalEntry.EndedJobs, in turn: inout FrontTurn) {
        var next = ended.results.startIndex
        // Neighbours that one session is owed, or none.
        var rows = next..<next
        var session: UInt64?
        for id in ended.jobs {
            let isOwed = turn.state.jobs[id].flags.contains(.reportsOutcome) || owed.takeAsked(id)
            let asker = isOwed ? turn.state.jobs[id].session : nil
            if asker != session {
                if let session { owed.add(ended, rows, to: session, of: turn.state.sessions) }
                (session, rows) = (asker, next..<next)
            }
            ended.results.formIndex(after: &next)
            rows = rows.lowerBound..<next
        }
        if let session { owed.add(ended, rows, to: session, of: turn.state.sessions) }
    }

    /// Tells a session how jobs ended, also those that an earlier session submitted, and which ones are not known. Its own that are still
    /// alive follow by themselves.
    mutating func outcomes(_ jobs: [JobID], _ session: SessionID, in turn: inout FrontTurn) -> Reply {
        turn.step(jobs.count)
        var named: Set<JobID> = []
        var toRead: [BundleNumber: [UInt64]] = [:]
        // A job that is named twice is answered once.
        for job in jobs where named.insert(job).inserted {
            let id = job.rawValue
            guard turn.state.jobs.contains(id) else {
                turn.step()
                switch turn.state.jobs.ended.bundled.find(id) {
                case nil: owed.addUnknown(id, to: session.rawValue, of: turn.state.sessions)
                case (let bundle, .succeeded)?:
                    if readings.job(id, of: bundle) == nil {
                        toRead[bundle, default: []].append(id)
                    } else {
                        oweRecalled(id, of: bundle, isRead: true, to: session, in: &turn)
                    }
                case (_, let state)?: owed.add(id, state, [], to: session.rawValue, of: turn.state.sessions)
                }
                continue
            }
            let record = turn.state.jobs[id]
            guard record.state.isFinal else {
                if record.session == session.rawValue, !record.flags.contains(.reportsOutcome) { owed.ask(id) }
                continue
            }
            let result = turn.state.jobs.arena[record.result]
            guard owed.takeRoom(for: result.count, limit: turn.settings.bounds.answerByteCount) else { continue }
            owed.add(id, record.state, result, to: session.rawValue, of: turn.state.sessions)
        }
        // Results that have to be read follow by themselves; where there is no room for that they are to be asked for again.
        if mayRead(in: turn) {
            waitForOutcomes(toRead.sorted { $1.key < $0.key }.map { (bundle: $0.key, jobs: $0.value) }, session)
        }
        return .done(version: 0)
    }
}
