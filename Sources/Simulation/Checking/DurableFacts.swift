//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What the journal's durable rows say, read from their bytes.
struct DurableFacts {
    /// Facts of the row that is under way.
    var underWay: [Fact] = []
    /// Its turn.
    var underWayTurn = TurnNumber(1)
    private(set) var jobs: Set<UInt64> = []
    private(set) var ends: [UInt64: UInt8] = [:]
    private(set) var cancels: Set<UInt64> = []
    /// The job of each lease.
    private(set) var leases: [UInt64: UInt64] = [:]
    /// The newest lease of each job.
    private(set) var newestLeases: [UInt64: UInt64] = [:]
    private(set) var sessions: Set<SessionID> = []
    private(set) var attachments: Set<AttachmentNumber> = []
    private(set) var feeds: [FeedKey: [FeedState]] = [:]
    private(set) var views: [Topic: [ViewState]] = [:]
    /// Jobs that a worker holds.
    private(set) var held: Set<UInt64> = []
    /// The last state of each feed and each view that is not forgotten.
    private(set) var lastFeeds: [FeedKey: FeedState] = [:]
    private(set) var lastViews: [FeedKey: [String: ViewState]] = [:]

    /// The row is on the disk.
    mutating func take() {
        for fact in underWay { take(fact) }
        underWay = []
    }

    private mutating func take(_ fact: Fact) {
        switch fact {
        case .jobsAccepted(let accepted):
            for offset in accepted.submit.lengths.indices { jobs.insert(accepted.first.rawValue + UInt64(offset)) }
        case .feedJobAccepted(let job): jobs.insert(job.job.rawValue)
        case .granted(let granted):
            for (job, lease) in zip(granted.jobs, granted.leases) {
                leases[lease] = job
                newestLeases[job] = lease
            }
            held.formUnion(granted.jobs)
        case .ended(let ended):
            for (job, state) in zip(ended.jobs, ended.states) { ends[job] = state }
            held.subtract(ended.jobs)
        case .cancelRequested(let job, _, _): cancels.insert(job.rawValue)
        case .sessionOpened(let session, _, _, _): sessions.insert(session)
        case .workerAttached(_, let attachment, _): attachments.insert(attachment)
        case .returned(let jobs): held.subtract(jobs)
        case .requeued(let jobs): held.subtract(jobs.map(\.job.rawValue))
        case .feedChanged(let feed, _, _):
            feeds[feed.key, default: []].append(feed)
            lastFeeds[feed.key] = feed
        case .viewChanged(let key, let view, _):
            views[.view(key, view.name), default: []].append(view)
            lastViews[key, default: [:]][view.name] = view
        case .feedForgotten(let key): (lastFeeds[key], lastViews[key]) = (nil, nil)
        case .viewForgotten(let key, let name): lastViews[key]?[name] = nil
        case .sessionEnded, .replyKept, .workerLost, .idsReserved, .jobsStored, .countsStored, .epochBegan: break
        }
    }
}
