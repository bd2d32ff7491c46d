//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JobQueue {
    /// Notes that the session that handed a job in is owed its outcome.
    mutating func owe(_ id: UInt64, _ outcome: JobState, in turn: inout FrontTurn) {
        let record = turn.state.jobs[id]
        guard record.flags.contains(.reportsOutcome) else { return }
        owed.add(id, outcome, turn.state.jobs.arena[record.blob], to: record.session, of: turn.state.sessions)
    }

    /// Tells a session how jobs ended, also those that an earlier session handed in, and which ones are not known. Its own that are still
    /// alive follow by themselves.
    mutating func outcomes(_ jobs: [JobID], _ session: SessionID, in turn: inout FrontTurn) -> Reply {
        turn.step(jobs.count)
        var asked: Set<JobID> = []
        var toRead: [BundleNumber: [UInt64]] = [:]
        // A job that is named twice is answered once.
        for job in jobs where asked.insert(job).inserted {
            let id = job.rawValue
            guard turn.state.jobs.contains(id) else {
                turn.step()
                switch turn.state.jobs.ended.bundled.find(id) {
                case nil: owed.addUnknown(id, to: session.rawValue, of: turn.state.sessions)
                case (let bundle, .succeeded)?: toRead[bundle, default: []].append(id)
                case (_, let state)?: owed.add(id, state, [], to: session.rawValue, of: turn.state.sessions)
                }
                continue
            }
            let record = turn.state.jobs[id]
            if record.session == session.rawValue { turn.state.jobs.askOutcome(of: id) }
            guard record.state.isFinal, owed.takeRoom(for: Int(record.blob.byteCount), limit: turn.settings.bounds.answerByteCount) else {
                continue
            }
            owed.add(id, record.state, turn.state.jobs.arena[record.blob], to: session.rawValue, of: turn.state.sessions)
        }
        // Results that have to be read follow by themselves; where there is no room for that they are to be asked for again.
        for (bundle, ids) in toRead.sorted(by: { $0.key < $1.key }) where mayRead(in: turn) {
            readings.wait(.outcomes(ids, session), for: bundle)
        }
        return .done(version: 0)
    }
}
