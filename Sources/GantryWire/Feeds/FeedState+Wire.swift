//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import GantryModel
import GantryWireMessages

extension WireFeedState: Mapped {
    init(_ value: FeedState) {
        self.init()
        key = value.key.text
        if let content = value.content { self.content = WireFeedContent(content) }
        activity = WireActivity(value.activity)
        if let failure = value.failure { self.failure = WireFailure(failure) }
        isEditable = value.isEditable
    }

    func value(within bounds: Bounds) throws(CodecError) -> FeedState {
        var state = FeedState(key: try bounds.feed(key), isEditable: isEditable)
        state.content = hasContent ? try content.value(within: bounds) : nil
        state.activity = try activity.value(within: bounds)
        state.failure = hasFailure ? try failure.value(within: bounds) : nil
        return state
    }
}

extension WireFeedContent: Mapped {
    init(_ value: FeedContent) {
        self.init()
        object = WireObjectReference(value.object)
        version = value.version.rawValue
        source = value.source.rawValue
        storedAt = value.storedAt.milliseconds
        isPersistent = value.isPersistent
    }

    func value(within bounds: Bounds) throws(CodecError) -> FeedContent {
        FeedContent(
            object: try object.value(within: bounds), version: ContentVersion(version),
            source: ContentSource(rawValue: try bounds.label(source, "a source")), storedAt: WallTime(milliseconds: storedAt),
            isPersistent: isPersistent)
    }
}

extension WireActivity: Mapped {
    init(_ value: Activity) {
        self.init()
        switch value {
        case .idle: idle = WireNothing()
        case .waiting(let job, let reason): (waiting.job, waiting.reason) = (job.rawValue, WireWaitReason(reason))
        case .loading(let job, let cause, let attempt):
            (loading.job, loading.cause, loading.attempt) = (job.rawValue, WireLoadCause(cause), attempt)
        }
    }

    func value(within bounds: Bounds) throws(CodecError) -> Activity {
        switch kind {
        case .idle: .idle
        case .waiting(let waiting): .waiting(JobID(waiting.job), try waiting.reason.value(within: bounds))
        case .loading(let loading):
            .loading(JobID(loading.job), cause: try bounds.known(loading.cause, "a load's cause"), attempt: loading.attempt)
        case nil: throw bounds.unknownKind("a feed's activity")
        }
    }
}

extension WireWaitReason: Mapped {
    init(_ value: WaitReason) {
        self.init()
        switch value {
        case .noWorker(let loader): noWorker = loader
        case .slotsTaken: slotsTaken = WireNothing()
        case .workersNotReady: workersNotReady = WireNothing()
        case .slotsReserved(let job): (slotsTaken, reservedFor) = (WireNothing(), job.rawValue)
        case .keyTaken(let job): keyTaken = job.rawValue
        case .cancelledRunStopping(let job): cancelledRunStopping = job.rawValue
        case .suspected: suspected = WireNothing()
        case .restarting(let time): restartingUntil = time.milliseconds
        case .delayed(let time): delayedUntil = time.milliseconds
        case .backedOff(let time): backedOffUntil = time.milliseconds
        case .snoozed(let time): snoozedUntil = time.milliseconds
        case .limitFull(let key, let shortage): limitFull = WireLimitFull(key, shortage)
        case .limitTooSmall(let key, let capacity): limitTooSmall = WireLimitFull(key, .permits(inUse: 0, capacity: capacity))
        case .paused(let pause): paused = WirePauseSummary(pause)
        case .storageFull: storageFull = WireNothing()
        }
    }

    func value(within bounds: Bounds) throws(CodecError) -> WaitReason {
        switch kind {
        case .noWorker(let loader): .noWorker(loader: try bounds.label(loader, "a loader's name"))
        case .slotsTaken: reservedFor == 0 ? .slotsTaken : .slotsReserved(for: JobID(reservedFor))
        case .workersNotReady: .workersNotReady
        case .keyTaken(let job): .keyTaken(by: JobID(job))
        case .cancelledRunStopping(let job): .cancelledRunStopping(JobID(job))
        case .suspected: .suspected
        case .restartingUntil(let time): .restarting(until: WallTime(milliseconds: time))
        case .delayedUntil(let time): .delayed(until: WallTime(milliseconds: time))
        case .backedOffUntil(let time): .backedOff(until: WallTime(milliseconds: time))
        case .snoozedUntil(let time): .snoozed(until: WallTime(milliseconds: time))
        case .limitFull(let full): try full.value(within: bounds)
        case .limitTooSmall(let full): .limitTooSmall(try full.key.value(within: bounds), capacity: full.capacity)
        case .paused(let pause): .paused(try pause.value(within: bounds))
        case .storageFull: .storageFull
        case nil: throw bounds.unknownKind("a reason to wait")
        }
    }
}

extension WireFailure: Mapped {
    init(_ value: Failure) {
        self.init()
        id = value.id.rawValue
        code = value.code.rawValue
        text = value.text.cut(to: Bounds.messages.textByteCount)
        arguments = Bounds.messages.failureArguments(value.arguments)
        retryable = value.retryable
        attempts = value.attempts
        if let asked = value.retryAfter { retryAfterMilliseconds = UInt64(clamping: asked.millisecondsRoundedUp) }
    }

    func value(within bounds: Bounds) throws(CodecError) -> Failure {
        Failure(
            id: FailureID(id), code: bounds.failureCode(code),
            text: try bounds.text(text, "a failure's text"), arguments: bounds.failureArguments(arguments), retryable: retryable,
            attempts: attempts,
            // More than the longest counts as that, and no larger number is written down.
            retryAfter: hasRetryAfterMilliseconds
                ? min(.milliseconds(Int64(clamping: retryAfterMilliseconds)), RetryRule.longestAsked) : nil)
    }
}

extension WireViewState: Mapped {
    init(_ value: ViewState) {
        self.init()
        name = value.name
        version = value.version
        if let sort = value.sort { self.sort = WireSortOrder(sort) }
        filter = value.filter
        if let selection = value.selection { self.selection = selection }
        detail = WireDetail(value.detail)
        if let revision = value.revision { self.revision = WireViewRevision(revision) }
        if let job = value.sorting { sorting = job.rawValue }
        if let failure = value.failure { self.failure = WireFailure(failure) }
    }

    func value(within bounds: Bounds) throws(CodecError) -> ViewState {
        var view = ViewState(name: try bounds.label(name, "a view's name"))
        view.version = version
        view.sort = hasSort ? try sort.value(within: bounds) : nil
        view.filter = try bounds.text(filter, "a filter")
        view.selection = hasSelection ? try bounds.itemID(selection) : nil
        view.detail = try detail.value(within: bounds)
        view.revision = hasRevision ? try revision.value(within: bounds) : nil
        view.sorting = hasSorting ? JobID(sorting) : nil
        view.failure = hasFailure ? try failure.value(within: bounds) : nil
        return view
    }
}

extension WireDetail: Mapped {
    init(_ value: Detail) {
        self.init()
        switch value {
        case .idle: idle = WireNothing()
        case .loading(let job): loading = job.rawValue
        case .loaded(let text): loaded = Data(text)
        case .stored(let object): stored = WireObjectReference(object)
        case .failed(let failure): failed = WireFailure(failure)
        }
    }

    func value(within bounds: Bounds) throws(CodecError) -> Detail {
        switch kind {
        case .idle: .idle
        case .loading(let job): .loading(JobID(job))
        case .loaded(let text): .loaded(try bounds.payload(text, "a detail"))
        case .stored(let object): .stored(try object.value(within: bounds))
        case .failed(let failure): .failed(try failure.value(within: bounds))
        case nil: throw bounds.unknownKind("a detail")
        }
    }
}

extension WireViewRevision: Mapped {
    init(_ value: ViewRevision) {
        self.init()
        content = WireObjectReference(value.content)
        if let order = value.order { self.order = WireObjectReference(order) }
        version = value.version.rawValue
        if let sort = value.sort { self.sort = WireSortOrder(sort) }
        filter = value.filter
    }

    func value(within bounds: Bounds) throws(CodecError) -> ViewRevision {
        ViewRevision(
            content: try content.value(within: bounds), order: hasOrder ? try order.value(within: bounds) : nil,
            version: ContentVersion(version), sort: hasSort ? try sort.value(within: bounds) : nil,
            filter: try bounds.text(filter, "a filter"))
    }
}

extension WireObjectReference: Mapped {
    init(_ value: ObjectReference) {
        self.init()
        digest = Data(value.digest.bytes)
        byteCount = value.byteCount
        itemCount = value.itemCount
    }

    func value(within bounds: Bounds) throws(CodecError) -> ObjectReference {
        ObjectReference(digest: try bounds.digest(digest), byteCount: byteCount, itemCount: itemCount)
    }
}

extension WireSortOrder: Mapped {
    init(_ value: GantryModel.SortOrder) {
        self.init()
        field = value.field
        ascending = value.ascending
    }

    func value(within bounds: Bounds) throws(CodecError) -> GantryModel.SortOrder {
        SortOrder(field: try bounds.label(field, "a field's name"), ascending: ascending)
    }
}
