//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension FeedState {
    /// The shape `feed`; a running job's progress joins the activity.
    public func json(progress: Progress? = nil) -> JSONValue {
        .object(
            ("key", .string(key.text)), ("name", .string(key.name)),
            ("parameters", .object(key.parameters.map { JSONValue.Member(name: $0.name, value: .string($0.value)) })),
            ("isEditable", .bool(isEditable)), ("content", content?.json), ("activity", activity.json(progress: progress)),
            ("failure", failure?.json))
    }
}

extension FeedContent {
    var json: JSONValue {
        .object(
            ("object", .string(object.digest.description)), ("itemCount", .count(object.itemCount)),
            ("sizeBytes", .count(object.byteCount)),
            ("version", .count(version.rawValue)), ("source", .string(source)), ("storedAt", storedAt.json),
            ("isKept", .bool(isKept)))
    }
}

extension Activity {
    func json(progress: Progress?) -> JSONValue {
        switch self {
        case .idle: .object(("state", .string("idle")))
        case .waiting(let job, let reason):
            .object(("state", .string("waiting")), ("job", .string(job.description)), ("waitReason", reason.json))
        case .loading(let job, let cause, let attempt):
            .object(
                ("state", .string("loading")), ("job", .string(job.description)), ("cause", .string(cause.name)),
                ("attempt", .count(UInt64(attempt))), ("progress", progress?.json))
        }
    }
}

extension Progress {
    /// The shape `progress`.
    public var json: JSONValue {
        .object(
            ("percent", percent.map { .count(UInt64($0)) }), ("completed", .count(completed)), ("total", total.map { .count($0) }),
            ("unit", unit.isEmpty ? nil : .string(unit)), ("message", message.isEmpty ? nil : .string(message)))
    }
}

extension WaitReason {
    /// The shape `waitReason`.
    public var json: JSONValue {
        switch self {
        case .noWorker(let loader): .object(("reason", .string(name)), ("loader", .string(loader)))
        case .keyTaken(let job): .object(("reason", .string(name)), ("job", .string(job.description)))
        case .cancelledRunStopping(let job): .object(("reason", .string(name)), ("job", .string(job.description)))
        case .restarting(let until): .object(("reason", .string(name)), ("until", until.json))
        case .slotsTaken, .suspected, .storageFull: .object(("reason", .string(name)))
        }
    }
}

extension Failure {
    /// The shape `failure`.
    public var json: JSONValue {
        var pairs: [JSONValue.Member] = []
        for index in stride(from: 0, to: arguments.count - 1, by: 2) {
            pairs.append(JSONValue.Member(name: arguments[index], value: .string(arguments[index + 1])))
        }
        return .object(
            ("id", id == .none ? nil : .string(id.description)), ("code", .string(code.rawValue)), ("message", .string(text)),
            ("arguments", pairs.isEmpty ? nil : .object(pairs)), ("retryable", .bool(retryable)), ("attempts", .count(UInt64(attempts))))
    }
}
