//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension ItemValue {
    /// The shape and the line of an item that is all there is of its topic; nil: it is never that.
    var whole: (json: JSONValue, line: String)? {
        switch self {
        case .front(let summary): (summary.json, summary.line)
        case .storage(let summary): (summary.json, summary.line)
        default: nil
        }
    }
}

extension FrontSummary {
    /// The shape `front`.
    public var json: JSONValue {
        .object(
            ("front", .string(front.description)), ("epoch", .count(epoch.rawValue)), ("startedAt", startedAt.json),
            ("version", .string(version)), ("durability", .string(durability)), ("storage", .string(storage)),
            ("sessions", .count(UInt64(sessions))), ("malformedMessages", .count(malformedMessages)), ("lateReports", .count(lateReports)))
    }

    /// For people.
    var line: String { "version \(version), durability \(durability), storage \(storage), " + counted(sessions, "session") }
}

extension StorageSummary {
    /// The shape `storage`.
    public var json: JSONValue {
        .object(
            ("journalByteCount", journalByteCount.map { .count($0) }), ("cacheByteCount", cacheByteCount.map { .count($0) }),
            ("ballastByteCount", ballastByteCount.map { .count($0) }), ("lastCheckpoint", lastCheckpoint?.json))
    }

    /// For people.
    var line: String {
        func bytes(_ count: UInt64?) -> String { count.map { counted($0, "byte") } ?? "not known" }
        return "journal \(bytes(journalByteCount)), cache \(bytes(cacheByteCount)), ballast \(bytes(ballastByteCount)), last checkpoint "
            + (lastCheckpoint?.rfc3339 ?? "none since the start")
    }
}
