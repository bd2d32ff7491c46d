//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Ends the newest accepted load of a feed for everybody: the fetch, or the merge that follows it. It is looked for here, so one that has
    /// taken another's place meanwhile is met too.
    /// - Parameter only: the job that it has to be; otherwise nothing changes, and the reply says how that job stands.
    mutating func cancelLoad(
        of key: FeedKey, only expected: JobID?, _ session: SessionID
    ) -> Reply {
        let newest = newestLoad(of: key)
        if let newest, expected == nil || expected == newest { return cancel(newest, by: state.sessions.label(session)) }
        let name = key.text.cut(to: Reply.echoByteCount)
        guard let expected else { return .refusal(.unknownItem, "nothing is in progress for \(name)") }
        guard state.jobs.contains(expected.rawValue) else {
            return .unknownJob(expected)
        }
        let standing = state.jobs[expected.rawValue].state
        switch standing {
        case .succeeded, .failed, .cancelled, .expired, .quarantined: return .alreadyEnded(expected, standing)
        case .cancelling: return .cancelling(expected)
        case .waiting, .running, .scheduled:
            return .refusal(.unknownItem, "job \(expected) is \(standing.name) and is not the load of \(name): cancel it by its number")
        }
    }

    /// The load that newcomers join; where there is none, the newest one that is being cancelled.
    private func newestLoad(of key: FeedKey) -> JobID? {
        let lines = state.jobs.keyLines
        return runningLoad(of: key) ?? lines.backwards(.load, of: key).first { state.jobs.contains($0.rawValue) }
            ?? lines.backwards(.edit, of: key).first { lines[$0.rawValue]?.job.operation == .merge }
    }
}
