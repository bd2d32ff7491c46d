//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Notes that the session that handed a job in is owed its outcome.
    mutating func owe(_ id: UInt64, _ outcome: JobState) {
        let record = state.jobs[id]
        guard record.flags.contains(.reportsOutcome), state.sessions[record.session] != nil else { return }
        owe(record, outcome, to: record.session)
    }

    private mutating func owe(_ record: JobRecord, _ outcome: JobState, to session: UInt64) {
        if state.sessions[session]?.answers.isEmpty == true { answeredSessions.append(session) }
        state.sessions[session]?.answers.jobs.append(record.id)
        state.sessions[session]?.answers.states.append(outcome.rawValue)
        state.sessions[session]?.answers.lengths.append(record.blob.byteCount)
        if record.blob.byteCount > 0, var results = state.sessions[session]?.answers.results {
            state.sessions[session]?.answers.results = []
            state.arena.copy(record.blob, to: &results)
            state.sessions[session]?.answers.results = results
        }
    }

    /// Tells a session how jobs ended, also those that an earlier session handed in, and which ones are not known. Its own that are still
    /// alive follow by themselves.
    mutating func outcomes(_ jobs: [JobID], _ session: SessionID, into actions: inout [FrontAction]) -> Reply {
        for job in jobs {
            let id = job.rawValue
            guard state.jobs.contains(id) else {
                if state.sessions[session.rawValue]?.answers.isEmpty == true { answeredSessions.append(session.rawValue) }
                state.sessions[session.rawValue]?.answers.unknown.append(id)
                continue
            }
            let record = state.jobs[id]
            if record.session == session.rawValue { state.jobs[id].flags.insert(.reportsOutcome) }
            guard record.state.isFinal else { continue }
            let gathered = state.sessions[session.rawValue]?.answers.results.count ?? 0
            guard gathered + Int(record.blob.byteCount) <= settings.bounds.answerByteCount else { continue }
            owe(record, record.state, to: session.rawValue)
        }
        return .done(version: 0)
    }

    /// Sends the outcomes that sessions are owed, in messages that a client can take.
    mutating func flushAnswers(into actions: inout [FrontAction]) {
        for id in answeredSessions {
            guard let session = state.sessions[id] else { continue }
            if session.peer != .none {
                // The other half is for what else travels in the envelope.
                let pieces = session.answers.pieces(rows: settings.bounds.answerRows, byteCount: session.largestFrame / 2)
                for piece in pieces { actions.append(.tell(session.peer, session.id, .answers(piece))) }
            }
            state.sessions[id]?.answers = FrontMessage.Answers()
        }
        answeredSessions.removeAll(keepingCapacity: true)
    }
}
