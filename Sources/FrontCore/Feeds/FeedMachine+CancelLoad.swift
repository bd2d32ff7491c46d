//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FeedMachine {
    /// Ends the newest accepted load of a feed for everybody: the fetch, or the merge that follows it. It is looked for here, so one that has
    /// taken another's place meanwhile is met too.
    /// - Parameter only: the job that it has to be; otherwise nothing changes, and the reply says how that job stands.
    mutating func cancelLoad(
        of key: FeedKey, only expected: JobID?, _ session: SessionID, queue: inout JobQueue, in turn: inout FrontTurn
    ) -> Reply {
        let newest = newestLoad(of: key, in: turn)
        if let newest, expected == nil || expected == newest {
            return queue.cancel(newest, by: .client(turn.state.sessions.label(session)), in: &turn)
        }
        let name = key.text.cut(to: Reply.quotedByteCount)
        guard let expected else { return .refusal(.unknownItem, "nothing is in progress for \(name)") }
        guard let standing = turn.state.jobs.state(of: expected.rawValue) else { return .unknownJob(expected) }
        switch standing {
        case .succeeded, .failed, .cancelled, .quarantined: return .alreadyEnded(expected, standing)
        case .cancelling: return .cancelling(expected)
        case .waiting, .running:
            return .refusal(.unknownItem, "job \(expected) is \(standing.name) and is not the load of \(name): cancel it by its number")
        }
    }

    /// The load that newcomers join; where there is none, the newest one that is being cancelled.
    private func newestLoad(of key: FeedKey, in turn: FrontTurn) -> JobID? {
        let lines = turn.state.jobs.keyLines
        return runningLoad(of: key, in: turn) ?? lines.loads(of: key).first { turn.state.jobs.contains($0.rawValue) }
    }

    /// The time may have come at which the loads of a feed end because nobody is attached.
    mutating func lookAtLoad(of key: FeedKey, _ reading: TurnReading, queue: inout JobQueue, in turn: inout FrontTurn) {
        guard turn.state.feeds.isAbandoned(key, reading, in: &turn.context) else { return }
        for job in Array(turn.state.jobs.keyLines.backwards(.load, of: key)) { _ = queue.cancel(job, by: .nobodyAttached, in: &turn) }
    }
}
