//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import WireMessages

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
        case .keyTaken(let job): keyTaken = job.rawValue
        case .cancelledRunStopping(let job): cancelledRunStopping = job.rawValue
        case .suspected: suspected = WireNothing()
        case .restarting(let time): restartingUntil = time.milliseconds
        case .storageFull: storageFull = WireNothing()
        }
    }

    func value(within bounds: Bounds) throws(CodecError) -> WaitReason {
        switch kind {
        case .noWorker(let loader): .noWorker(loader: try bounds.label(loader, "a loader's name"))
        case .slotsTaken: .slotsTaken
        case .keyTaken(let job): .keyTaken(by: JobID(job))
        case .cancelledRunStopping(let job): .cancelledRunStopping(JobID(job))
        case .suspected: .suspected
        case .restartingUntil(let time): .restarting(until: WallTime(milliseconds: time))
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
    }

    func value(within bounds: Bounds) throws(CodecError) -> Failure {
        Failure(
            id: FailureID(id), code: FailureCode(rawValue: try bounds.label(code, "a failure's code")),
            text: try bounds.text(text, "a failure's text"), arguments: bounds.failureArguments(arguments), retryable: retryable,
            attempts: attempts)
    }
}
