//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryPackedColumns

extension FrontMessage {
    /// Bytes that the message will have in a frame, roughly: what bounds of memory are measured by.
    package var roughByteCount: Int {
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
    package var roughByteCount: Int {
        switch self {
        case .accepted, .jobsAccepted, .done, .cancelling, .alreadyEnded, .selected: RoughSize.message
        case .refused(let failure, _): RoughSize.record + failure.roughByteCount
        case .jobs(let jobs, _, _): jobs.reduce(RoughSize.message) { $0 + $1.roughByteCount }
        case .explanation(let explanation):
            explanation.job.roughByteCount + explanation.job.result.count + explanation.argument.count
                + explanation.timeline.reduce(RoughSize.record + explanation.runs.roughByteCount + explanation.log.roughByteCount) {
                    $0 + $1.utf8.count
                }
        case .feeds(let feeds, _): feeds.reduce(RoughSize.message) { $0 + $1.roughByteCount }
        }
    }
}

extension RetainedReply {
    /// Bytes that it takes as it is kept, roughly.
    package var roughByteCount: Int { RoughSize.retainedReply + (feed?.text.utf8.count ?? 0) + reply.roughByteCount }
}

extension JobSummary {
    /// The same for a job in a list.
    package var roughByteCount: Int {
        let names = loader.utf8.count + askedBy.utf8.count + worker.utf8.count + (cancel?.requestedBy.utf8.count ?? 0)
        return RoughSize.job + names + options.byteCount + (feed?.text.utf8.count ?? 0) + (failure?.roughByteCount ?? 0)
    }
}

extension FeedState {
    /// The same for a feed in a list.
    package var roughByteCount: Int { RoughSize.feed + key.text.utf8.count + (failure?.roughByteCount ?? 0) }
}

extension FeedWork {
    /// What the fields of known size, two object references and the numbers of all fields take, at most.
    private static let fixedByteCount = 512

    /// No fewer bytes than it takes as it is encoded.
    package var greatestByteCount: Int {
        let texts = key.text.utf8.count + view.utf8.count + filter.utf8.count + (itemID?.utf8.count ?? 0) + (sort?.field.utf8.count ?? 0)
        return Self.fixedByteCount + texts + settings.count + item.count
    }
}

extension WorkerBoundMessage {
    /// The same for messages to a worker.
    package var roughByteCount: Int {
        switch self {
        case .registered(let registered): RoughSize.record + registered.decisions.count * RoughSize.decision
        case .grant(let grant):
            RoughSize.feed + grant.arguments.byteCount + grant.jobs.count * RoughSize.grant
                + grant.feedWork.reduce(0) { $0 + $1.value.greatestByteCount }
                + grant.resumeStates.reduce(0) { $0 + RoughSize.message + $1.value.count }
        case .renewed(_, let leases), .cancel(let leases), .acknowledged(let leases):
            RoughSize.message + leases.count * RoughSize.number
        case .reregister, .drain, .unknown, .unreadable: RoughSize.message
        case .refused: RoughSize.feed
        }
    }
}

extension WorkerMessage {
    /// Bytes that it takes in memory beside those that it was sent in, roughly: a row of two bytes on the wire may take seventy here.
    package var memoryByteCount: Int {
        let rows =
            switch self {
            case .register(let registration): registration.loaders.count * MemoryLayout<LoaderDeclaration>.stride
            case .progress(let reports): reports.count * MemoryLayout<ProgressReport>.stride
            case .ended(let ended):
                ended.failures.reduce(0) { $0 + MemoryLayout<Indexed<Failure>>.stride + $1.value.placesByteCount }
                    + ended.feedResults.count * MemoryLayout<Indexed<FeedResult>>.stride + ended.snoozes.count * RoughSize.number
                    + ended.logs.reduce(0) { $0 + $1.value.roughByteCount }
            case .log(let reports): reports.reduce(0) { $0 + $1.log.roughByteCount }
            case .renewal, .cancelStep, .overdue, .draining, .close, .refusedGrants, .unknown, .unreadable: 0
            }
        return MemoryLayout<WorkerMessage>.stride + rows
    }
}
