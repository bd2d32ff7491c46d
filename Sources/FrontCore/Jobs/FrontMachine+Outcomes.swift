//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Notes that the session that handed a job in is owed its outcome.
    mutating func owe(_ id: UInt64, _ outcome: JobState) {
        let record = state.jobs[id]
        guard record.flags.contains(.reportsOutcome) else { return }
        owed.add(record, outcome, to: record.session, of: state.sessions, from: state.jobs.arena)
    }

    /// Tells a session how jobs ended, also those that an earlier session handed in, and which ones are not known. Its own that are still
    /// alive follow by themselves.
    mutating func outcomes(_ jobs: [JobID], _ session: SessionID) -> Reply {
        turn.step(jobs.count)
        var asked: Set<JobID> = []
        // A job that is named twice is answered once.
        for job in jobs where asked.insert(job).inserted {
            let id = job.rawValue
            guard state.jobs.contains(id) else {
                owed.addUnknown(id, to: session.rawValue, of: state.sessions)
                continue
            }
            let record = state.jobs[id]
            if record.session == session.rawValue { state.jobs.askOutcome(of: id) }
            guard record.state.isFinal, owed.takeRoom(for: Int(record.blob.byteCount), limit: turn.settings.bounds.answerByteCount) else {
                continue
            }
            owed.add(record, record.state, to: session.rawValue, of: state.sessions, from: state.jobs.arena)
        }
        return .done(version: 0)
    }
}
