//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

extension JobQueue {
    /// Notes the outcomes of ended jobs for the sessions that submitted them.
    mutating func noteOutcomes(_ ended: JournalEntry.EndedJobs, in turn: inout FrontTurn) {
        var next = ended.results.startIndex
        // Neighbors of one session, or of none.
        var rows = next..<next
        var session: UInt64?
        for id in ended.jobs {
            let isAsked = turn.state.jobs[id].flags.contains(.reportsOutcome) || pendingAnswers.takeAsked(id)
            let asker = isAsked ? turn.state.jobs[id].session : nil
            // A run of rows is copied at once, and ends where the next job is another session's.
            if asker != session {
                if let session { pendingAnswers.add(ended, rows, to: session, of: turn.state.sessions) }
                (session, rows) = (asker, next..<next)
            }
            ended.results.formIndex(after: &next)
            rows = rows.lowerBound..<next
        }
        if let session { pendingAnswers.add(ended, rows, to: session, of: turn.state.sessions) }
        noteFollowed(ended, in: &turn)
    }

    /// Notes the outcomes of jobs for sessions that did not submit them, and wait for them all the same. Where a turn has no room for so many
    /// results, those that are left out ask again.
    private mutating func noteFollowed(_ ended: JournalEntry.EndedJobs, in turn: inout FrontTurn) {
        guard pendingAnswers.hasFollowers else { return }
        turn.step(ended.jobs.count)
        for (row, result) in ended.results.enumerated() {
            let followers = pendingAnswers.takeFollowers(of: ended.jobs[row])
            turn.step(followers.count)
            for session in followers where pendingAnswers.takeRoom(for: result.count, limit: turn.settings.bounds.answerByteCount) {
                pendingAnswers.add(ended.jobs[row], ended.states[row], result, to: session, of: turn.state.sessions)
            }
        }
    }

    /// Sends a session the outcomes of jobs, also of those that other sessions submitted, and which ones are not known. Outcomes of jobs that have
    /// not ended follow by themselves.
    mutating func outcomes(_ jobs: [JobID], _ session: SessionID, in turn: inout FrontTurn) -> Reply {
        turn.step(jobs.count)
        var named: Set<JobID> = []
        var toRead: [BundleNumber: [UInt64]] = [:]
        // A job that is named twice is answered once.
        for job in jobs where named.insert(job).inserted {
            let id = job.rawValue
            guard turn.state.jobs.contains(id) else {
                turn.step()
                switch turn.state.jobs.bundle(of: id) {
                case nil: pendingAnswers.addUnknown(id, to: session.rawValue, of: turn.state.sessions)
                case (let bundle, .succeeded)?:
                    if readings.job(id, of: bundle) == nil {
                        toRead[bundle, default: []].append(id)
                    } else {
                        noteBundled(id, of: bundle, isRead: true, to: session, in: &turn)
                    }
                // Only a success has a result, so nothing has to be read for the others.
                case (_, let state)?: pendingAnswers.add(id, state, [], to: session.rawValue, of: turn.state.sessions)
                }
                continue
            }
            let record = turn.state.jobs[id]
            guard record.state.isFinal else {
                if record.session != session.rawValue {
                    pendingAnswers.follow(id, for: session.rawValue, of: turn.state.sessions, limit: turn.settings.bounds.followedJobs)
                } else if !record.flags.contains(.reportsOutcome) {
                    pendingAnswers.ask(id)
                }
                continue
            }
            let result = turn.state.jobs.arena[record.result]
            guard pendingAnswers.takeRoom(for: result.count, limit: turn.settings.bounds.answerByteCount) else { continue }
            pendingAnswers.add(id, record.state, result, to: session.rawValue, of: turn.state.sessions)
        }
        // Results that have to be read follow by themselves; where there is no room for that they are to be asked for again.
        if mayRead(in: turn) {
            waitForOutcomes(toRead.sorted { $1.key < $0.key }.map { (bundle: $0.key, jobs: $0.value) }, session)
        }
        return .done(version: 0)
    }
}

/// Outcomes that sessions get at the end of the turn, and jobs whose outcomes they wait for.
///
/// It stands beside the sessions' records, because each outcome passes here, and a dictionary's elements cannot be changed in place without asking
/// for memory.
struct PendingAnswers {
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
    /// Jobs whose outcome their session asked for after it had submitted them. It is of this epoch only: a session that is resumed asks
    /// again for all that it waits for.
    private(set) var asked: Set<UInt64> = []
    /// Sessions that wait for the outcomes of jobs that others submitted, by job, in the order in which they asked; of this epoch only, likewise.
    private var followers: [UInt64: [UInt64]] = [:]
    /// How many there are, of all jobs, and of each session.
    private var followerCount = 0
    private var followed: [UInt64: Int] = [:]
    /// Whether this turn has looked for sessions among them that have ended.
    private var hasLooked = false

    /// A session asks for the outcome of a job that it has submitted and that has not ended.
    mutating func ask(_ job: UInt64) { asked.insert(job) }

    /// Whether a job's session has asked for its outcome; it has ended, so that is answered now.
    fileprivate mutating func takeAsked(_ job: UInt64) -> Bool { !asked.isEmpty && asked.remove(job) != nil }

    /// A session waits for the outcome of a job that another one submitted and that has not ended. Beyond the limit it is not noted: it asks again.
    mutating func follow(_ job: UInt64, for session: UInt64, of sessions: ClientSessions, limit: Int) {
        if followerCount >= limit { dropEnded(sessions) }
        guard followerCount < limit, !(followers[job]?.contains(session) ?? false) else { return }
        followers[job, default: []].append(session)
        followerCount += 1
        followed[session, default: 0] += 1
    }

    /// Those of sessions that have ended wait for nothing, and leave their places to others.
    private mutating func dropEnded(_ sessions: ClientSessions) {
        guard !hasLooked else { return }
        hasLooked = true
        let ended = Set(followed.keys.filter { !sessions.contains(SessionID($0)) })
        guard !ended.isEmpty else { return }
        followers = followers.compactMapValues { known in
            let left = known.filter { !ended.contains($0) }
            return left.isEmpty ? nil : left
        }
        for session in ended { followerCount -= followed.removeValue(forKey: session) ?? 0 }
    }

    /// Whether there are such sessions.
    var hasFollowers: Bool { followerCount > 0 }

    /// Those of a job; it has ended, so they are answered now.
    fileprivate mutating func takeFollowers(of job: UInt64) -> [UInt64] {
        guard let sessions = followers.removeValue(forKey: job) else { return [] }
        followerCount -= sessions.count
        for session in sessions {
            let left = (followed[session] ?? 1) - 1
            followed[session] = left > 0 ? left : nil
        }
        return sessions
    }

    /// Where a session's outcomes are gathered; nil: there is no such session.
    private mutating func place(of session: UInt64, in sessions: ClientSessions) -> Int? {
        if let last = entries.last, last.session == session { return entries.count - 1 }
        if let place = places[session] { return place }
        guard sessions.contains(SessionID(session)) else { return nil }
        places[session] = entries.count
        entries.append(Entry(session: session))
        return entries.count - 1
    }

    /// Notes a job's outcome for a session; nothing, if the session has ended.
    mutating func add(_ job: UInt64, _ outcome: JobState, _ result: ArraySlice<UInt8>, to session: UInt64, of sessions: ClientSessions) {
        guard let place = place(of: session, in: sessions) else { return }
        entries[place].answers.jobs.append(job)
        entries[place].answers.states.append(outcome)
        entries[place].answers.results.append(result)
    }

    /// Notes for a session the outcomes of neighbors among jobs that ended together: all are copied at once.
    mutating func add(_ ended: JournalEntry.EndedJobs, _ rows: Range<PackedBytes.Index>, to session: UInt64, of sessions: ClientSessions) {
        guard !rows.isEmpty, let place = place(of: session, in: sessions) else { return }
        let numbers = rows.lowerBound.row..<rows.upperBound.row
        entries[place].answers.jobs.append(contentsOf: ended.jobs[numbers])
        entries[place].answers.states.append(contentsOf: ended.states[numbers])
        entries[place].answers.results.append(contentsOf: ended.results[rows])
    }

    /// Notes for a session that a job is not known.
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

    /// Sends the noted outcomes to their sessions, in messages that a client can take.
    mutating func flush(to sessions: ClientSessions, in turn: inout TurnContext) {
        (askedByteCount, hasLooked) = (0, false)
        guard !entries.isEmpty else { return }
        for entry in entries where !entry.answers.isEmpty {
            // Nothing waits for one without a connection: resumed, it asks for all that it awaits.
            guard let session = sessions[SessionID(entry.session)], session.peer != .none else { continue }
            // The other half is for what else travels in the envelope.
            let pieces = entry.answers.pieces(rows: turn.settings.bounds.answerRows, byteCount: session.largestFrame / 2)
            for piece in pieces { turn.emit(.send(session.peer, session.id, .answers(piece))) }
        }
        entries.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }
}

extension FrontMessage.Answers {
    /// There is nothing to send.
    var isEmpty: Bool { jobs.isEmpty && unknown.isEmpty }

    /// The same outcomes in messages of at most so many rows and, unless one result alone is larger, so many bytes.
    func pieces(rows limit: Int, byteCount byteLimit: Int) -> [FrontMessage.Answers] {
        let byteCount = (jobs.count + unknown.count) * RoughSize.answer + results.byteCount
        if byteCount <= byteLimit, jobs.count <= limit, unknown.count <= limit { return [self] }
        var pieces: [FrontMessage.Answers] = []
        var start = results.startIndex
        while start < results.endIndex {
            var end = start
            while end < results.endIndex, end.row - start.row < limit {
                let next = results.index(after: end)
                guard end == start || (next.row - start.row) * RoughSize.answer + next.offset - start.offset <= byteLimit else { break }
                end = next
            }
            var piece = FrontMessage.Answers()
            piece.jobs = Array(jobs[start.row..<end.row])
            piece.states = Array(states[start.row..<end.row])
            piece.results.append(contentsOf: results[start..<end])
            pieces.append(piece)
            start = end
        }
        let unknownLimit = max(1, min(limit, byteLimit / RoughSize.answer))
        for start in stride(from: 0, to: unknown.count, by: unknownLimit) {
            var piece = FrontMessage.Answers()
            piece.unknown = Array(unknown[start..<min(start + unknownLimit, unknown.count)])
            pieces.append(piece)
        }
        return pieces
    }
}
