//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMessage {
    /// Whether it carries outcomes.
    var isAnswers: Bool {
        guard case .answers = self else { return false }
        return true
    }

    /// The message as a bug makes it; most bugs leave it as it is.
    func spoiled(by bug: InjectedBug) -> FrontMessage {
        switch self {
        case .answers(var answers):
            answers.spoil(by: bug)
            return .answers(answers)
        case .reply(let number, let reply, let feed): return .reply(number: number, reply.spoiled(by: bug), feed: feed)
        case .snapshot, .snapshotRefused, .welcome, .sessionEnded, .refused, .heartbeat, .resumeFirst, .unknown: return self
        }
    }
}

extension FrontMessage.SnapshotPart {
    /// The part as a mistake makes it.
    func spoiled(by bug: InjectedBug?) -> Self {
        guard bug == .snapshotsShort, part == 0 else { return self }
        var short = self
        short.items = Array(items.dropFirst())
        return short
    }
}

extension FrontMessage.Answers {
    fileprivate mutating func spoil(by bug: InjectedBug) {
        if bug == .endsSpoiled, let first = states.first { states[0] = first == .succeeded ? .failed : .succeeded }
        if bug == .cancelledReportedDone { states = states.map { $0 == .cancelled ? .succeeded : $0 } }
        if bug == .outcomesUnknown {
            unknown += jobs
            (jobs, states, results) = ([], [], PackedBytes())
        }
    }
}

extension Reply {
    fileprivate func spoiled(by bug: InjectedBug) -> Reply {
        switch self {
        case .jobs(var jobs, let next):
            if bug == .listShort { jobs = Array(jobs.dropFirst()) }
            if bug == .waitingReportedEnded {
                for index in jobs.indices where jobs[index].state == .waiting { jobs[index].state = .cancelled }
            }
            return .jobs(jobs, next: next)
        case .accepted(let job, let isJoined): return bug == .loadReportedCancelled ? .cancelling(job) : .accepted(job, joined: isJoined)
        case .jobsAccepted, .done, .cancelling, .alreadyEnded, .refused, .explanation, .feeds: return self
        }
    }
}
