//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension JobSummary {
    /// The shape `job`; a running job's progress joins it.
    public func json(progress: Progress? = nil) -> JSONValue {
        .object(
            ("id", .string(id.description)), ("loader", .string(loader)), ("state", .string(state.name)),
            ("feed", feed.map { .string($0.text) }), ("operation", operation.map { .string($0.name) }),
            ("askedBy", askedBy.isEmpty ? nil : .string(askedBy)), ("priority", .count(UInt64(options.priority))),
            ("tags", options.tags.isEmpty ? nil : .array(options.tags.map { .string($0) })),
            ("acceptedAt", acceptedAt.json), ("startedAt", startedAt?.json), ("endedAt", endedAt?.json),
            ("attempts", .count(UInt64(attempts))), ("deaths", .count(UInt64(deaths))), ("waitReason", waitReason?.json),
            ("worker", worker.isEmpty ? nil : .string(worker)), ("cancel", cancel?.json), ("progress", progress?.json),
            ("failure", failure?.json), ("result", resultText), ("resultBytes", .count(UInt64(result.count))))
    }

    /// The result as text, where it is text.
    private var resultText: JSONValue? {
        result.isEmpty ? nil : String(validating: result, as: UTF8.self).map { .string($0) }
    }
}

extension CancelReceipt {
    /// The shape `cancel`.
    public var json: JSONValue {
        .object(
            ("requestedBy", .string(requestedBy)), ("requestedAt", requestedAt.json), ("deliveredAt", deliveredAt?.json),
            ("stoppingAt", stoppingAt?.json), ("stoppedAt", stoppedAt?.json),
            ("stopSeconds", stoppedAt.map { .number($0.seconds(since: requestedAt)) }))
    }
}

extension JobExplanation {
    /// The shape `explanation`.
    public var json: JSONValue {
        .object(
            ("job", job.json()), ("placeInLine", placeInLine.map { .count($0) }), ("estimateSeconds", estimateSeconds.map { .number($0) }),
            ("story", .array(story.map { .string($0) })))
    }
}

extension JobCounts {
    /// The shape `counts`.
    public var json: JSONValue {
        let counts = shown.map { JSONValue.Member(name: $0.key, value: .count($0.count)) }
        return JSONValue.object(counts).adding(("oldestWaitingAt", oldestWaiting?.json), ("failures", failuresJSON))
    }

    /// Failed jobs that are still known, by code.
    public var failuresJSON: JSONValue {
        .array(failures.map { .object(("code", .string($0.code.rawValue)), ("count", .count($0.count))) })
    }
}
