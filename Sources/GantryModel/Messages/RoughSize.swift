//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What things take beside the bytes that they carry, roughly: what bounds of memory are measured by. One number for each, in all places.
package enum RoughSize {
    /// A message of a few numbers.
    package static let message = 32
    /// A limit with a value that one job alone names: its place among the limits, a lane, and what finds both.
    package static let limitKey = 512
    /// A unique key that is taken, beside its texts: what finds it by name, by job and by the time at which it is free.
    package static let uniqueKey = 512
    /// A message, a failure or a frame in memory with texts or columns.
    package static let record = 64
    /// An entry or a row with a feed's names.
    package static let feed = 256
    /// A feed's job in memory beside its texts and its item, with the tables that find it.
    package static let feedJob = 1_280
    /// An entry or a message with several texts: a registration, a welcome.
    package static let wide = 512
    /// What a worker gets of a feed's job.
    package static let feedWork = 1_024
    /// A granted job in a message beside its argument: id, lease, loader and the varint of a length.
    package static let grant = 24
    /// A decision on a lease: two numbers and a word.
    package static let decision = 20
    /// A job in a list beside its texts.
    package static let job = 128
    /// A reply beside its texts, as a session keeps it.
    fileprivate static let retainedReply = 192
    /// The varint of an argument's length.
    package static let length = 2
    /// An outcome in a message beside its result, at most: id, state and the varint of a length.
    package static let answer = 12
    /// A topic's item beside its key and value.
    package static let item = 16
    /// A name beside its bytes, with the tables that find it.
    package static let name = 128
    /// A number of 64 bits.
    package static let number = 8
}

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
        case .jobs(let jobs, _): jobs.reduce(RoughSize.message) { $0 + $1.roughByteCount }
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

extension WorkerBoundMessage {
    /// The same for messages to a worker.
    package var roughByteCount: Int {
        switch self {
        case .registered(let registered): RoughSize.record + registered.decisions.count * RoughSize.decision
        case .grant(let grant):
            RoughSize.feed + grant.arguments.byteCount + grant.jobs.count * RoughSize.grant + grant.feedWork.count * RoughSize.feedWork
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
