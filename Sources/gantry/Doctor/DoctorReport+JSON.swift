//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FeedSettings
import Journal
import StateJSON

extension DoctorReport {
    /// For programs.
    var json: JSONValue {
        .object(
            ("allow", .texts(allow)), ("checks", .list(checks.map(\.json))), ("configuration", .string(configuration)),
            ("data", .string(data)), ("dataOrigin", .string(dataOrigin)), ("endpoints", .texts(endpoints)),
            ("feeds", .list(feeds.map(\.json))), ("http", Self.json(http)), ("slots", .whole(slots)), ("workers", .whole(workers)))
    }

    private static func json(_ limits: HTTPLimits) -> JSONValue {
        .object(
            ("connectTimeoutSeconds", .number(limits.connectTimeoutSeconds)), ("idleTimeoutSeconds", .number(limits.idleTimeoutSeconds)),
            ("maxBodyBytes", .whole(limits.maxBodyBytes)), ("totalTimeoutSeconds", .number(limits.totalTimeoutSeconds)))
    }
}

extension DoctorReport.Feed {
    fileprivate var json: JSONValue {
        .object(
            ("editable", .bool(editable)), ("fields", .texts(fields)), ("name", .string(name)), ("parameters", .texts(parameters)),
            ("screen", .string(screen)), ("source", .string(source)))
    }
}

extension JournalCheck.LostBundle {
    fileprivate var json: JSONValue {
        .object(
            ("bundle", .string("\(number)")), ("firstJob", .string("\(jobs.lowerBound)")), ("jobs", .whole(jobCount)),
            ("lastJob", .string("\(jobs.upperBound)")))
    }
}

extension DoctorCheck {
    fileprivate var json: JSONValue {
        .object(
            ("detail", .string(detail)), ("name", .string(name)), ("nextStep", nextStep.map { .string($0) }),
            ("lostBundles", lostBundles.isEmpty ? nil : .list(lostBundles.map(\.json))), ("state", .string(state.rawValue)))
    }
}
