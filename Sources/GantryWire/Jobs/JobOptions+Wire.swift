//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import GantryModel
import GantryPackedColumns
import GantryWireMessages
import SwiftProtobuf

extension WireJobOptions: Mapped {
    init(_ value: JobOptions) {
        self.init()
        if value.priority != JobPriority.usual { priority = UInt32(value.priority) }
        tags = value.tags
        switch value.start {
        case .now: break
        case .after(let delay): delayMilliseconds = UInt64(clamping: delay.millisecondsRoundedUp)
        case .at(let time): runAt = time.milliseconds
        }
        if let timeout = value.attemptTimeout { attemptTimeoutMilliseconds = UInt64(clamping: timeout.millisecondsRoundedUp) }
        if let time = value.expiresAt { expiresAt = time.milliseconds }
        if let timeout = value.totalTimeout { totalTimeoutMilliseconds = UInt64(clamping: timeout.millisecondsRoundedUp) }
        limitKeys = value.limitKeys.map(WireLimitKey.init)
        if let attempts = value.retry.attempts { maximumAttempts = attempts }
        if let key = value.uniqueKey { uniqueKey = WireUniqueKey(key) }
        if let job = value.retryOf { retryOf = job.rawValue }
        secretArgument = value.hasSecretArgument
        if value.retry.backOff != BackOff() { backOff = WireBackOff(value.retry.backOff) }
        retryCodes = value.retry.codes.map(WireRetryCode.init)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JobOptions {
        try JournalNumbers.check(self, "a job's options")
        var options = JobOptions(tags: tags)
        // What is beyond a byte is no priority either.
        if hasPriority { options.priority = UInt8(exactly: priority) ?? .max }
        options.start = try JobStart(
            runAt: hasRunAt ? runAt : nil, delayMilliseconds: hasDelayMilliseconds ? delayMilliseconds : nil, what: "a job's options")
        options.retry = RetryRule(
            attempts: hasMaximumAttempts ? maximumAttempts : nil, backOff: hasBackOff ? backOff.value : BackOff(),
            codes: try bounds.values(retryCodes, "a job's retries by code"))
        options.attemptTimeout = hasAttemptTimeoutMilliseconds ? .milliseconds(Int64(clamping: attemptTimeoutMilliseconds)) : nil
        options.expiresAt = hasExpiresAt ? WallTime(milliseconds: expiresAt) : nil
        options.totalTimeout = hasTotalTimeoutMilliseconds ? .milliseconds(Int64(clamping: totalTimeoutMilliseconds)) : nil
        options.limitKeys = try bounds.values(limitKeys, "a job's limits")
        if hasUniqueKey { options.uniqueKey = try uniqueKey.value(within: bounds) }
        options.hasSecretArgument = secretArgument
        options.retryOf = hasRetryOf ? JobID(retryOf) : nil
        if let fault = options.fault { throw CodecError(what: "a job's options", reason: fault) }
        return options
    }
}

extension WireBackOff {
    init(_ value: BackOff) {
        self.init()
        // A front that knows no defaults takes these for asked for.
        firstMilliseconds = UInt64(clamping: value.firstPause.millisecondsRoundedUp)
        longestMilliseconds = UInt64(clamping: value.longestPause.millisecondsRoundedUp)
        withoutJitter = !value.isDrawn
        (defaultFirst, defaultLongest, defaultJitter) = (value.first == nil, value.longest == nil, value.hasJitter == nil)
    }

    /// As it is said; whether that can be is a rule of the options.
    var value: BackOff {
        BackOff(
            first: defaultFirst ? nil : .milliseconds(Int64(clamping: firstMilliseconds)),
            longest: defaultLongest ? nil : .milliseconds(Int64(clamping: longestMilliseconds)),
            hasJitter: defaultJitter ? nil : !withoutJitter)
    }
}

extension WireRetryCode: Mapped {
    init(_ value: CodeRetryRule) {
        self.init()
        code = value.code.rawValue
        if let attempts = value.attempts { maximumAttempts = attempts }
        if value.backOff != BackOff() { backOff = WireBackOff(value.backOff) }
    }

    func value(within bounds: Bounds) throws(CodecError) -> CodeRetryRule {
        CodeRetryRule(
            FailureCode(rawValue: try bounds.label(code, "the code of a retry")), attempts: hasMaximumAttempts ? maximumAttempts : nil,
            backOff: hasBackOff ? backOff.value : BackOff())
    }
}

extension JobStart {
    /// As messages name it: a time, a delay, or neither of them.
    init(runAt: Int64?, delayMilliseconds: UInt64?, what: String) throws(CodecError) {
        switch (runAt, delayMilliseconds) {
        case (nil, nil): self = .now
        case (let time?, nil): self = .at(WallTime(milliseconds: time))
        case (nil, let delay?): self = .after(.milliseconds(Int64(clamping: delay)))
        case (.some, .some): throw CodecError(what: what, reason: "a time and a delay are given: give one of them")
        }
    }
}

extension WireDelayRequest {
    init(_ job: JobID, _ start: JobStart) {
        self.init()
        self.job = job.rawValue
        switch start {
        case .now: break
        case .after(let delay): delayMilliseconds = UInt64(clamping: delay.millisecondsRoundedUp)
        case .at(let time): runAt = time.milliseconds
        }
    }

    func value() throws(CodecError) -> JobRequest { .delay(JobID(job), try start()) }

    func start() throws(CodecError) -> JobStart {
        try JobStart(
            runAt: hasRunAt ? runAt : nil, delayMilliseconds: hasDelayMilliseconds ? delayMilliseconds : nil, what: "a job's new time")
    }
}

extension WireJobTerms: Mapped {
    init(_ value: JobTerms) {
        self.init()
        (label, client) = (value.asker.label, value.asker.client)
        if let some = WireJobOptions(unusual: value.options) { options = some }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JobTerms {
        let asker = JobTerms.Asker(label: try bounds.label(label, "a client's label"), client: try bounds.label(client, "a client's name"))
        return JobTerms(asker, options: hasOptions ? try options.value(within: bounds) : JobOptions())
    }
}

extension WireJobOptions {
    /// The message that says `options`; nil: they are the usual ones, which are left out.
    init?(unusual options: JobOptions) {
        guard options != JobOptions() else { return nil }
        self.init(options)
    }
}

/// A message that has the arguments of jobs as a column, with their options beside it: jobs travel and are kept in the same form.
protocol JobColumns: SwiftProtobuf.Message {
    /// The different options of the jobs; none: all have the usual ones.
    var options: [WireJobOptions] { get set }
    /// Which of them each job has; none: all have the first.
    var optionIndexes: [UInt32] { get set }
    /// Byte count of each argument.
    var lengths: [UInt32] { get set }
    /// The arguments one behind the other.
    var arguments: Data { get set }
}

extension JobColumns {
    /// Writes both.
    mutating func write(_ arguments: PackedBytes, _ options: JobOptionsColumn) {
        self.options = options.distinct.map(WireJobOptions.init)
        optionIndexes = options.indexes
        lengths = arguments.lengths
        self.arguments = Data(arguments.bytes)
    }

    /// What both say.
    func columns(within bounds: Bounds) throws(CodecError) -> (arguments: PackedBytes, options: JobOptionsColumn) {
        try bounds.rows(lengths.count, "submitted jobs")
        let packed = try bounds.packed(lengths, arguments, "arguments of submitted jobs")
        return (packed, try jobOptions(within: bounds))
    }

    private func jobOptions(within bounds: Bounds) throws(CodecError) -> JobOptionsColumn {
        let what = "options of submitted jobs"
        guard options.count <= MessageBounds.distinctOptions else {
            let reason = "\(options.count) different ones is over the limit of \(MessageBounds.distinctOptions)"
            throw CodecError(what: what, reason: reason, code: .tooLarge)
        }
        try bounds.indexes(optionIndexes, below: options.count, what: what)
        let column = JobOptionsColumn(distinct: try bounds.values(options, what), indexes: optionIndexes)
        if let fault = column?.fault(ofJobs: lengths.count) { throw CodecError(what: what, reason: fault) }
        return column ?? JobOptionsColumn()
    }
}
