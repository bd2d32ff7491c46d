//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWireMessages

extension WireItem: Mapped {
    init(_ value: ItemValue) {
        self.init()
        switch value {
        case .feed(let state): feed = WireFeedState(state)
        case .view(let state): view = WireViewState(state)
        case .job(let summary): job = WireJobSummary(summary)
        case .progress(let job, let progress): (self.progress.job, self.progress.progress) = (job.rawValue, WireProgress(progress))
        case .counts(let counts): self.counts = WireJobCounts(counts)
        case .worker(let summary): worker = WireWorkerSummary(summary)
        case .front(let summary): front = WireFrontSummary(summary)
        case .storage(let summary): storage = WireStorageSummary(summary)
        case .limit(let summary): limit = WireLimitSummary(summary)
        case .pause(let pause): self.pause = WirePauseSummary(pause)
        case .clients(let summary): clients = WireClientsSummary(summary)
        }
    }

    func value(within bounds: Bounds) throws(CodecError) -> ItemValue {
        switch kind {
        case .feed(let state): .feed(try state.value(within: bounds))
        case .view(let state): .view(try state.value(within: bounds))
        case .job(let summary): .job(try summary.value(within: bounds))
        case .progress(let item): .progress(JobID(item.job), try item.progress.value(within: bounds))
        case .counts(let counts): .counts(try counts.value(within: bounds))
        case .worker(let summary): .worker(try summary.value(within: bounds))
        case .front(let summary): .front(try summary.value(within: bounds))
        case .storage(let summary): .storage(try summary.value(within: bounds))
        case .limit(let summary): .limit(try summary.value(within: bounds))
        case .pause(let pause): .pause(try pause.value(within: bounds))
        case .clients(let summary): .clients(try summary.value(within: bounds))
        case nil: throw bounds.unknownKind("an item")
        }
    }
}

extension WireJobCounts: Mapped {
    init(_ value: JobCounts) {
        self.init()
        waiting = value.waiting
        scheduled = value.scheduled
        running = value.running
        cancelling = value.cancelling
        succeeded = value.succeeded
        failed = value.failed
        cancelled = value.cancelled
        expired = value.expired
        quarantined = value.quarantined
        requeuedTotal = value.requeuedTotal
        retriedTotal = value.retriedTotal
        snoozedTotal = value.snoozedTotal
        if let time = value.oldestWaiting { oldestWaiting = time.milliseconds }
        failures = value.failures.map { WireFailureCount($0) }
        unoffered = value.unoffered.map { WireLoaderCount($0) }
        unofferedOthers = value.unofferedOthers
        bulkActions = value.bulkActions.map { WireBulkSummary($0) }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JobCounts {
        var counts = JobCounts()
        counts.waiting = waiting
        counts.scheduled = scheduled
        counts.running = running
        counts.cancelling = cancelling
        counts.succeeded = succeeded
        counts.failed = failed
        counts.cancelled = cancelled
        counts.expired = expired
        counts.quarantined = quarantined
        counts.requeuedTotal = requeuedTotal
        counts.retriedTotal = retriedTotal
        counts.snoozedTotal = snoozedTotal
        counts.oldestWaiting = hasOldestWaiting ? WallTime(milliseconds: oldestWaiting) : nil
        for failure in failures { counts.failures.append(try failure.value(within: bounds)) }
        for loader in unoffered { counts.unoffered.append(try loader.value(within: bounds)) }
        counts.unofferedOthers = unofferedOthers
        for bulk in bulkActions { counts.bulkActions.append(try bulk.value(within: bounds)) }
        return counts
    }
}

extension WireLoaderCount: Mapped {
    init(_ value: LoaderCount) {
        self.init()
        (loader, count) = (value.loader, value.count)
    }

    func value(within bounds: Bounds) throws(CodecError) -> LoaderCount { LoaderCount(try bounds.label(loader, "a loader"), count) }
}

extension WireWorkerSummary: Mapped {
    init(_ value: WorkerSummary) {
        self.init()
        id = value.id.rawValue
        name = value.name
        processID = value.processID
        slots = value.slots
        slotsTaken = value.slotsTaken
        prefetched = value.prefetched
        loaders = value.loaders
        state = value.state.rawValue
    }

    func value(within bounds: Bounds) throws(CodecError) -> WorkerSummary {
        var worker = WorkerSummary(id: WorkerID(id), name: try bounds.label(name, "a worker's name"), slots: slots)
        worker.processID = processID
        worker.slotsTaken = slotsTaken
        worker.prefetched = prefetched
        worker.loaders = try bounds.labels(loaders, "a worker's loaders")
        worker.state = WorkerSummary.State(rawValue: try bounds.label(state, "a worker's state"))
        return worker
    }
}

extension WireFrontSummary: Mapped {
    init(_ value: FrontSummary) {
        self.init()
        front = value.front.rawValue
        epoch = value.epoch.rawValue
        startedAt = value.startedAt.milliseconds
        version = value.version
        durability = value.durability.rawValue
        storage = value.storage.rawValue
        sessions = value.sessions
        malformedMessages = value.malformedMessages
        lateReports = value.lateReports
        subscriptions = value.subscriptions
        refusedTopics = value.refusedTopics
        subscriptionsMade = value.subscriptionsMade
    }

    func value(within bounds: Bounds) throws(CodecError) -> FrontSummary {
        var summary = FrontSummary(
            front: FrontID(front), epoch: Epoch(epoch), startedAt: WallTime(milliseconds: startedAt),
            version: try bounds.label(version, "a version"),
            durability: JobDurability(rawValue: try bounds.label(durability, "durability")))
        summary.storage = StorageState(rawValue: try bounds.label(storage, "storage"))
        summary.sessions = sessions
        summary.malformedMessages = malformedMessages
        summary.lateReports = lateReports
        summary.subscriptions = subscriptions
        summary.refusedTopics = refusedTopics
        summary.subscriptionsMade = subscriptionsMade
        return summary
    }
}

extension WireStorageSummary: Mapped {
    init(_ value: StorageSummary) {
        self.init()
        if let count = value.journalByteCount { journalByteCount = count }
        if let count = value.cacheByteCount { cacheByteCount = count }
        if let count = value.ballastByteCount { ballastByteCount = count }
        if let time = value.lastCheckpoint { lastCheckpoint = time.milliseconds }
    }

    func value(within bounds: Bounds) throws(CodecError) -> StorageSummary {
        var summary = StorageSummary()
        if hasJournalByteCount { summary.journalByteCount = journalByteCount }
        if hasCacheByteCount { summary.cacheByteCount = cacheByteCount }
        if hasBallastByteCount { summary.ballastByteCount = ballastByteCount }
        if hasLastCheckpoint { summary.lastCheckpoint = WallTime(milliseconds: lastCheckpoint) }
        return summary
    }
}

extension WireFailureCount: Mapped {
    init(_ value: FailureCount) {
        self.init()
        (code, count) = (value.code.rawValue, value.count)
    }

    func value(within bounds: Bounds) throws(CodecError) -> FailureCount {
        FailureCount(bounds.failureCode(code), count)
    }
}

extension WireClientsSummary: Mapped {
    init(_ value: ClientsSummary) {
        self.init()
        clients = value.clients.map { WireClientCount($0) }
        otherSessions = value.otherSessions
    }

    func value(within bounds: Bounds) throws(CodecError) -> ClientsSummary {
        var summary = ClientsSummary([], otherSessions: otherSessions)
        for client in clients { summary.clients.append(try client.value(within: bounds)) }
        return summary
    }
}

extension WireClientCount: Mapped {
    init(_ value: ClientCount) {
        self.init()
        (label, sessions) = (value.label, value.sessions)
    }

    func value(within bounds: Bounds) throws(CodecError) -> ClientCount {
        ClientCount(try bounds.label(label, "a client's label"), sessions)
    }
}
