//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What sessions are to be told of their jobs at the end of the turn, and what they wait to be told of.
///
/// It stands beside the sessions' records, because each outcome passes here, and a dictionary's elements cannot be changed in place without asking
/// for memory.
struct OwedAnswers {
    /// A session and its outcomes.
    private struct Entry {
        let session: UInt64
        var answers = FrontMessage.Answers()
    }

    /// In order of the sessions' first outcome.
    private var entries: [Entry] = []
    /// Bytes of results among them that were asked for, rather than having just come.
    private var askedByteCount = 0
    private var places: [UInt64: Int] = [:]
    /// Jobs whose outcome their session asked for after it had handed them in. It is of this life only: a session that is resumed asks again for
    /// all that it waits for.
    private(set) var asked: Set<UInt64> = []

    /// A session asks for the outcome of a job that it has submitted and that has not ended.
    mutating func ask(_ job: UInt64) { asked.insert(job) }

    /// Whether a job's session has asked for its outcome; it has ended, so that is answered now.
    mutating func takeAsked(_ job: UInt64) -> Bool { !asked.isEmpty && asked.remove(job) != nil }

    /// Where a session's outcomes are gathered; nil: there is no such session.
    private mutating func place(of session: UInt64, in sessions: ClientSessions) -> Int? {
        if let last = entries.last, last.session == session { return entries.count - 1 }
        if let place = places[session] { return place }
        guard sessions.contains(SessionID(session)) else { return nil }
        places[session] = entries.count
        entries.append(Entry(session: session))
        return entries.count - 1
    }

    /// A session is owed how a job has ended; nothing, if it has ended itself.
    mutating func add(_ job: UInt64, _ outcome: JobState, _ result: ArraySlice<UInt8>, to session: UInt64, of sessions: ClientSessions) {
        guard let place = place(of: session, in: sessions) else { return }
        entries[place].answers.jobs.append(job)
        entries[place].answers.states.append(outcome)
        entries[place].answers.results.append(result)
    }

    /// A session is owed how some neighbours have ended among jobs that ended together: all are copied at once.
    mutating func add(_ ended: JournalEntry.EndedJobs, _ rows: Range<PackedBytes.Index>, to session: UInt64, of sessions: ClientSessions) {
        guard !rows.isEmpty, let place = place(of: session, in: sessions) else { return }
        let numbers = rows.lowerBound.row..<rows.upperBound.row
        entries[place].answers.jobs.append(contentsOf: ended.jobs[numbers])
        entries[place].answers.states.append(contentsOf: ended.states[numbers])
        entries[place].answers.results.append(contentsOf: ended.results[rows])
    }

    /// A session is owed that a job is not known.
    mutating func addUnknown(_ job: UInt64, to session: UInt64, of sessions: ClientSessions) {
        if let place = place(of: session, in: sessions) { entries[place].answers.unknown.append(job) }
    }

    /// Takes room for a result that was asked for; false: there is none in this turn, and it is to be asked for again. The bound is that of all
    /// sessions of a turn: a connection may have many.
    mutating func takeRoom(for byteCount: Int, limit: Int) -> Bool {
        guard askedByteCount + byteCount <= limit else { return false }
        askedByteCount += byteCount
        return true
    }

    /// Sends the outcomes that sessions are owed, in messages that a client can take.
    mutating func flush(to sessions: ClientSessions, in turn: inout TurnContext) {
        askedByteCount = 0
        guard !entries.isEmpty else { return }
        for entry in entries where !entry.answers.isEmpty {
            guard let session = sessions[SessionID(entry.session)], session.peer != .none else { continue }
            // The other half is for what else travels in the envelope.
            let pieces = entry.answers.pieces(rows: turn.settings.bounds.answerRows, byteCount: session.largestFrame / 2)
            for piece in pieces { turn.emit(.send(session.peer, session.id, .answers(piece))) }
        }
        entries.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }
}
