//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

extension Samples {
    static let items: [String: Sample] = {
        var items: [String: Sample] = [
            "item-feed": .item(.feed(feed)), "item-view": .item(.view(view)), "item-job": .item(.job(job)),
            "item-progress": .item(
                .progress(JobID(42), JobProgress(percent: 50, completed: 3, total: 6, unit: "items", message: "reading"))),
            "item-counts": .item(.counts(counts)), "item-worker": .item(.worker(worker)), "item-front": .item(.front(summary)),
            "item-storage": .item(.storage(storage)), "item-limit": .item(.limit(limit)),
            "item-clients": .item(
                .clients(ClientsSummary([ClientCount("cli 4711 on host", 2), ClientCount("", 1)], otherSessions: 7))),
            "item-pause": .item(.pause(Pause(.everything, by: "cli 4711 on host", reason: "the API is down", since: noon))),
            "item-pause-group": .item(
                .pause(
                    Pause(
                        .group("shop"), by: "cli 4711 on host", reason: "the sale", since: noon,
                        members: GroupMembers(loaders: ["slow", "prices"], feeds: ["todos"])))),
            "item-pause-worker": .item(.pause(Pause(.worker("importer 1"), by: "cli 4711 on host", reason: "", since: noon))),
        ]
        for (index, reason) in reasons.enumerated() {
            var state = FeedState(key: languages)
            state.activity = .waiting(JobID(42), reason)
            items["item-feed-waiting-\(index + 1)"] = .item(.feed(state))
        }
        for (index, detail) in details.enumerated() {
            var state = ViewState(name: "mine")
            state.detail = detail
            items["item-view-detail-\(index + 1)"] = .item(.view(state))
        }
        return items
    }()

    private static let reasons: [WaitReason] = [
        .noWorker(loader: "http"), .slotsTaken, .keyTaken(by: JobID(41)), .cancelledRunStopping(JobID(41)), .suspected,
        .restarting(until: noon.advanced(by: .milliseconds(3_000))), .storageFull, .delayed(until: noon),
        .backedOff(until: noon), .limitFull(LimitKey("tenant", value: "acme"), .permits(inUse: 7, capacity: 5)),
        .limitFull(LimitKey("tenant", value: "acme"), .tokens(next: noon)),
        .paused(
            Pause(
                .loader("slow"), by: "cli 4711 on host", reason: "", since: noon, until: noon.advanced(by: .milliseconds(3_000)))),
        .snoozed(until: noon),
        .limitFull(LimitKey("tenant", value: "acme", weight: 3), .reserved(for: JobID(41))),
        .limitTooSmall(LimitKey("api", weight: 7), capacity: 5), .slotsReserved(for: JobID(41)),
        .workersNotReady,
    ]

    private static let details: [Detail] = [.idle, .loading(JobID(42)), .loaded(Array("{}".utf8)), .stored(list)]

    private static var feed: FeedState {
        var feed = FeedState(key: electronics, isEditable: true)
        feed.content = content
        feed.activity = .loading(JobID(42), cause: .refresh, attempt: 2)
        feed.failure = failure
        return feed
    }

    private static var counts: JobCounts {
        var counts = JobCounts()
        (counts.waiting, counts.running, counts.cancelling, counts.succeeded) = (1, 2, 3, 400)
        (counts.failed, counts.cancelled, counts.quarantined, counts.oldestWaiting) = (5, 6, 7, noon)
        (counts.requeuedTotal, counts.retriedTotal, counts.expired, counts.snoozedTotal) = (8, 12, 13, 14)
        counts.failures = [FailureCount(.httpStatus, 3), FailureCount(.timedOut, 2)]
        counts.scheduled = 11
        counts.bulkActions = [BulkSummary(number: 3, action: "cancel", by: "cli 4711 on host", since: noon)]
        (counts.bulkActions[0].done, counts.bulkActions[0].passedOver, counts.bulkActions[0].isFinished) = (7, 1, true)
        counts.bulkActions[0].waitsFor = "too many jobs wait"
        (counts.unoffered, counts.unofferedOthers) = ([LoaderCount("http", 9), LoaderCount("noop", 1)], 10)
        return counts
    }

    private static var worker: WorkerSummary {
        var worker = WorkerSummary(id: WorkerID(5), name: "worker-1", slots: 4)
        worker.processID = 4_712
        worker.slotsTaken = 3
        worker.prefetched = 128
        worker.loaders = ["http", "echo"]
        worker.state = .draining
        return worker
    }

    private static var limit: LimitSummary {
        var limit = LimitSummary(name: "tenant", rule: LimitRule(capacity: 5, refill: LimitRefill(10, per: .seconds(60), burst: 20)))
        (limit.inUse, limit.waiting, limit.valueCount) = (8, 12, 40)
        limit.values = [LimitValue("acme", inUse: 5, waiting: 12, fullAt: noon), LimitValue("", inUse: 3, waiting: 0)]
        limit.fullAt = noon
        limit.configured = LimitRule(capacity: 7)
        return limit
    }

    private static var storage: StorageSummary {
        var storage = StorageSummary()
        (storage.journalByteCount, storage.cacheByteCount, storage.ballastByteCount) = (1_048_576, 4_096, 0)
        storage.lastCheckpoint = noon
        return storage
    }

    private static var summary: FrontSummary {
        var summary = FrontSummary(
            front: FrontID(7), epoch: Epoch(1_795_254_000), startedAt: noon, version: "0.1.0", durability: .memory)
        summary.storage = .full
        summary.sessions = 12
        summary.malformedMessages = 3
        summary.lateReports = 4
        summary.subscriptions = 5
        summary.refusedTopics = 6
        summary.subscriptionsMade = 7
        return summary
    }
}
