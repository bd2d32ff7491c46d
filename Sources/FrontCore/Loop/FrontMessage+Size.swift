//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMessage {
    /// Bytes that the message will have in a frame, roughly: what bounds of memory are measured by.
    var roughByteCount: Int {
        switch self {
        case .welcome: 512
        case .sessionEnded, .resumeFirst, .unknown, .heartbeat: 32
        case .reply(_, let reply, let feed): 32 + reply.roughByteCount + (feed?.text.utf8.count ?? 0)
        case .answers(let answers): 64 + answers.results.count + answers.jobs.count * 12 + answers.unknown.count * 9
        case .snapshot(let part): part.items.reduce(64) { $0 + $1.key.count + $1.value.count + 16 }
        case .refused(let refused): 64 + refused.reason.utf8.count
        }
    }
}

extension Reply {
    /// The same for a reply.
    var roughByteCount: Int {
        switch self {
        case .accepted, .jobsAccepted, .done, .cancelling, .alreadyEnded: 32
        case .refused(let failure, _): 64 + failure.text.utf8.count
        case .jobs(let jobs, _): jobs.reduce(32) { $0 + $1.roughByteCount }
        case .explanation(let explanation):
            explanation.job.roughByteCount + explanation.job.result.count + explanation.story.reduce(64) { $0 + $1.utf8.count }
        case .feeds(let feeds, _): feeds.reduce(32) { $0 + 256 + $1.key.text.utf8.count + ($1.failure?.text.utf8.count ?? 0) }
        }
    }
}

extension KeptReply {
    /// Bytes that it takes as it is kept, roughly.
    var roughByteCount: Int {
        let place = 192 + (feed?.text.utf8.count ?? 0)
        guard case .refused(let failure, _) = reply else { return place + reply.roughByteCount }
        return place + failure.byteCount
    }
}

extension JobSummary {
    /// The same for a job in a list.
    var roughByteCount: Int { 128 + askedBy.utf8.count + (failure?.text.utf8.count ?? 0) }
}

extension WorkerBoundMessage {
    /// The same for what a worker is told.
    var roughByteCount: Int {
        switch self {
        case .registered(let registered): 64 + registered.verdicts.count * 20
        case .grant(let grant): 256 + grant.arguments.count + grant.jobs.count * 24 + grant.feedWork.count * 1_024
        case .renewed(_, let leases), .cancel(let leases), .recall(let leases), .settled(let leases): 32 + leases.count * 8
        case .registerAgain, .drain, .unknown, .unreadable: 16
        case .refused: 256
        }
    }
}
