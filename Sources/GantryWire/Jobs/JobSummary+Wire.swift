//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import GantryModel
import GantryWireMessages

extension WireJobSummary: Mapped {
    init(_ value: JobSummary) {
        self.init()
        id = value.id.rawValue
        loader = value.loader
        state = WireJobState(value.state)
        if let key = value.feed { feed = key.text }
        if let known = value.operation { operation = WireFeedOperation(known) }
        askedBy = value.askedBy
        if let some = WireJobOptions(unusual: value.options) { options = some }
        if let time = value.acceptedAt { acceptedAt = time.milliseconds }
        if let time = value.startedAt { startedAt = time.milliseconds }
        if let time = value.endedAt { endedAt = time.milliseconds }
        attempts = value.attempts
        snoozeCount = value.snoozeCount
        repeatedBy = value.repeatedBy?.rawValue ?? 0
        crashCount = value.crashCount
        if let time = value.dueAt { dueAt = time.milliseconds }
        if let time = value.endsBy { endsBy = time.milliseconds }
        if let reason = value.waitReason { waitReason = WireWaitReason(reason) }
        worker = value.worker
        if let receipt = value.cancel { cancel = WireCancelReceipt(receipt) }
        if let failure = value.failure { self.failure = WireFailure(failure) }
        result = Data(value.result)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JobSummary {
        var job = JobSummary(
            id: JobID(id), loader: try bounds.label(loader, "a loader's name"), state: try bounds.known(state, "a job's state"),
            acceptedAt: hasAcceptedAt ? WallTime(milliseconds: acceptedAt) : nil)
        job.feed = hasFeed ? try bounds.feed(feed) : nil
        job.operation = hasOperation ? try bounds.known(operation, "a feed's operation") : nil
        job.askedBy = try bounds.label(askedBy, "a client's label")
        if hasOptions { job.options = try options.value(within: bounds) }
        job.startedAt = hasStartedAt ? WallTime(milliseconds: startedAt) : nil
        job.endedAt = hasEndedAt ? WallTime(milliseconds: endedAt) : nil
        job.attempts = attempts
        job.snoozeCount = snoozeCount
        job.repeatedBy = repeatedBy == 0 ? nil : JobID(repeatedBy)
        job.crashCount = crashCount
        job.dueAt = hasDueAt ? WallTime(milliseconds: dueAt) : nil
        job.endsBy = hasEndsBy ? WallTime(milliseconds: endsBy) : nil
        job.waitReason = hasWaitReason ? try waitReason.value(within: bounds) : nil
        job.worker = try bounds.label(worker, "a worker's name")
        job.cancel = hasCancel ? try cancel.value(within: bounds) : nil
        job.failure = hasFailure ? try failure.value(within: bounds) : nil
        job.result = try bounds.payload(result, "a result")
        return job
    }
}

extension WireCancelReceipt: Mapped {
    init(_ value: CancelReceipt) {
        self.init()
        requestedBy = value.requestedBy
        requestedAt = value.requestedAt.milliseconds
        if let time = value.deliveredAt { deliveredAt = time.milliseconds }
        if let time = value.stoppingAt { stoppingAt = time.milliseconds }
        if let time = value.killedAt { killedAt = time.milliseconds }
        if let time = value.endingAt { endingAt = time.milliseconds }
        if let time = value.stoppedAt { stoppedAt = time.milliseconds }
    }

    func value(within bounds: Bounds) throws(CodecError) -> CancelReceipt {
        var receipt = CancelReceipt(
            requestedBy: try bounds.label(requestedBy, "a client's label"), requestedAt: WallTime(milliseconds: requestedAt))
        receipt.deliveredAt = hasDeliveredAt ? WallTime(milliseconds: deliveredAt) : nil
        receipt.stoppingAt = hasStoppingAt ? WallTime(milliseconds: stoppingAt) : nil
        receipt.killedAt = hasKilledAt ? WallTime(milliseconds: killedAt) : nil
        receipt.endingAt = hasEndingAt ? WallTime(milliseconds: endingAt) : nil
        receipt.stoppedAt = hasStoppedAt ? WallTime(milliseconds: stoppedAt) : nil
        return receipt
    }
}

extension WireProgress: Mapped {
    init(_ value: JobProgress) {
        self.init()
        if let percent = value.percent { self.percent = UInt32(percent) }
        completed = value.completed
        if let total = value.total { self.total = total }
        unit = value.unit.cut(to: Bounds.messages.labelByteCount)
        message = value.message.cut(to: Bounds.messages.progressByteCount)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JobProgress {
        JobProgress(
            percent: hasPercent ? try bounds.number(percent, upTo: 100, "a percentage") : nil, completed: completed,
            total: hasTotal ? total : nil, unit: try bounds.label(unit, "a unit"), message: try bounds.progressText(message))
    }
}
