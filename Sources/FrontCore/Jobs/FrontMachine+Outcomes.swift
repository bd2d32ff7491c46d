//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Notes that the session that handed a job in is owed its outcome.
    mutating func owe(_ id: UInt64, _ outcome: JobState) {
        let record = state.jobs[id]
        guard record.flags.contains(.reportsOutcome) else { return }
        owe(record, outcome, to: record.session)
    }

    private mutating func owe(_ record: JobRecord, _ outcome: JobState, to session: UInt64) {
        guard let place = owed.place(of: session, in: state) else { return }
        owed.entries[place].answers.jobs.append(record.id)
        owed.entries[place].answers.states.append(outcome.rawValue)
        owed.entries[place].answers.results.append(state.jobs.arena[record.blob])
    }

    /// Tells a session how jobs ended, also those that an earlier session handed in, and which ones are not known. Its own that are still
    /// alive follow by themselves.
    mutating func outcomes(_ jobs: [JobID], _ session: SessionID) -> Reply {
        guard let place = owed.place(of: session.rawValue, in: state) else { return .done(version: 0) }
        turn.step(jobs.count)
        var asked: Set<JobID> = []
        // A job that is named twice is answered once.
        for job in jobs where asked.insert(job).inserted {
            let id = job.rawValue
            guard state.jobs.contains(id) else {
                owed.entries[place].answers.unknown.append(id)
                continue
            }
            let record = state.jobs[id]
            if record.session == session.rawValue { state.jobs.askOutcome(of: id) }
            guard record.state.isFinal else { continue }
            // What finds no room is asked for again. The bound is that of all sessions of a turn: a connection may have many.
            guard owed.askedByteCount + Int(record.blob.byteCount) <= turn.settings.bounds.answerByteCount else { continue }
            owed.askedByteCount += Int(record.blob.byteCount)
            owe(record, record.state, to: session.rawValue)
        }
        return .done(version: 0)
    }

    /// Sends the outcomes that sessions are owed, in messages that a client can take.
    mutating func flushAnswers() {
        for entry in owed.entries where !entry.answers.isEmpty {
            guard let session = state.sessions[SessionID(entry.session)], session.peer != .none else { continue }
            // The other half is for what else travels in the envelope.
            let pieces = entry.answers.pieces(rows: turn.settings.bounds.answerRows, byteCount: session.largestFrame / 2)
            for piece in pieces { turn.emit(.tell(session.peer, session.id, .answers(piece))) }
        }
        owed.removeAll()
    }
}
