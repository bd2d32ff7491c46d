//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMessage {
    /// Bytes that the message will have in a frame, roughly: what bounds of memory are measured by.
    var roughByteCount: Int {
        switch self {
        case .welcome: RoughSize.wide
        case .sessionEnded, .resumeFirst, .unknown, .heartbeat: RoughSize.message
        case .reply(_, let reply, let feed): RoughSize.message + reply.roughByteCount + (feed?.text.utf8.count ?? 0)
        case .answers(let answers):
            RoughSize.record + answers.results.byteCount + (answers.jobs.count + answers.unknown.count) * RoughSize.answer
        case .snapshot(let part): part.items.reduce(RoughSize.record) { $0 + $1.key.count + $1.value.count + RoughSize.item }
        case .snapshotRefused(let asked, let failure, _): RoughSize.record + asked.utf8.count + failure.roughByteCount
        case .refused(let refused): RoughSize.record + refused.reason.utf8.count
        }
    }
}

extension Reply {
    /// The same for a reply.
    var roughByteCount: Int {
        switch self {
        case .accepted, .jobsAccepted, .done, .cancelling, .alreadyEnded: RoughSize.message
        case .refused(let failure, _): RoughSize.record + failure.roughByteCount
        case .jobs(let jobs, _): jobs.reduce(RoughSize.message) { $0 + $1.roughByteCount }
        case .explanation(let explanation):
            explanation.job.roughByteCount + explanation.job.result.count + explanation.argument.count
                + explanation.timeline.reduce(RoughSize.record) { $0 + $1.utf8.count }
        case .feeds(let feeds, _): feeds.reduce(RoughSize.message) { $0 + $1.roughByteCount }
        }
    }
}

extension RetainedReply {
    /// Bytes that it takes as it is kept, roughly.
    var roughByteCount: Int { RoughSize.retainedReply + (feed?.text.utf8.count ?? 0) + reply.roughByteCount }
}

extension JobSummary {
    /// The same for a job in a list.
    var roughByteCount: Int {
        let names = loader.utf8.count + askedBy.utf8.count + worker.utf8.count + (cancel?.requestedBy.utf8.count ?? 0)
        return RoughSize.job + names + options.byteCount + (feed?.text.utf8.count ?? 0) + (failure?.roughByteCount ?? 0)
    }
}

extension FeedState {
    /// The same for a feed in a list.
    var roughByteCount: Int { RoughSize.feed + key.text.utf8.count + (failure?.roughByteCount ?? 0) }
}

extension WorkerBoundMessage {
    /// The same for what a worker is told.
    var roughByteCount: Int {
        switch self {
        case .registered(let registered): RoughSize.record + registered.decisions.count * RoughSize.decision
        case .grant(let grant):
            RoughSize.feed + grant.arguments.byteCount + grant.jobs.count * RoughSize.grant + grant.feedWork.count * RoughSize.feedWork
        case .renewed(_, let leases), .cancel(let leases), .acknowledged(let leases):
            RoughSize.message + leases.count * RoughSize.number
        case .reregister, .unknown, .unreadable: RoughSize.message
        case .refused: RoughSize.feed
        }
    }
}
