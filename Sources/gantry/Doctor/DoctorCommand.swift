//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryFeedSettings
import GantryModel
import GantrySettings
import Journal
import StateFormatting

/// `gantry doctor`.
struct DoctorCommand: GantrySubcommand, PlacedCommand {
    static let configuration = CommandConfiguration(
        commandName: CommandFailure.doctorCommand,
        abstract: "Print the effective configuration and check what it needs.",
        discussion: """
            Changes nothing. Ends with 78 when the configuration is wrong, with 73 when the data folder cannot be written, with 3 \
            when the kernel does not end a process that hangs.

            Example: gantry doctor --output json
            """)

    @OptionGroup var places: PlaceOptions
    @Flag(name: .long, help: "Check for a front that listens at 127.0.0.1:7701-7704.")
    var tcp = false
    @OptionGroup var printing: OutputOptions

    func run() async throws {
        let asked = try places.load(tcp: tcp)
        let front = RunningFront(asked.data)
        // What a running front was started with counts, not what another start would find.
        var effective = front?.effective ?? asked
        // It is the same folder, for the front was found by it; `up` names it to its front by a flag.
        effective.data.origin = asked.data.origin
        let look = await front?.look(at: effective) ?? RunningFront.Look()
        let checks = DoctorCheck.all(of: effective, front, look, asked: asked)
        if printing.isJSON {
            try printing.line(DoctorReport(effective, checks).json.text)
        } else {
            for line in DoctorReport(effective, checks).lines() { try printing.line(line) }
        }
        if let worst = checks.compactMap(\.failure).first { throw worst }
    }
}

/// The effective configuration and the checks, as they are printed.
struct DoctorReport {
    struct Feed {
        var name: String
        var source: String
        var parameters: [String]
        var fields: [String]
        var editable: Bool
        var screen: String
        var loads: String
    }

    var configuration: String
    var data: String
    var dataOrigin: String
    var endpoints: [String]
    var allow: [String]
    var http: HTTPLimits
    var workers: Int
    var slots: Int
    var feeds: [Feed]
    var flow: FlowSettings
    var checks: [DoctorCheck]

    init(_ effective: EffectiveConfiguration, _ checks: [DoctorCheck]) {
        let settings = effective.configuration
        configuration = effective.file ?? "built-in sample"
        data = effective.data.path
        dataOrigin = effective.data.origin.rawValue
        endpoints = effective.endpoints.all
        allow = settings.allow.map(\.address.description)
        http = settings.http
        workers = settings.workers
        slots = settings.slots
        feeds = settings.feeds.map(Self.feed)
        flow = settings.flow
        self.checks = checks
    }

    private static func feed(_ feed: ConfiguredFeed) -> Feed {
        let parameters = feed.definition.parameters.map { parameter in
            parameter.name + (parameter.defaultValue.map { "=\($0)" } ?? (parameter.isRequired ? " (required)" : ""))
        }
        return Feed(
            name: feed.definition.name, source: source(of: feed.settings),
            parameters: parameters, fields: feed.definition.fields, editable: feed.definition.isEditable,
            screen: feed.screen.rawValue, loads: feed.definition.loads.line)
    }

    private static func source(of settings: LoaderSettings) -> String {
        switch settings.source {
        case .http(let source): Redaction.apply(to: source.url.description)
        case .loader(let source): "loader \(source.name)"
        case nil: "none"
        }
    }

    /// For people: names on the left, values on the right.
    func lines() -> [String] {
        var rows = [
            ("configuration", configuration), ("data folder", "\(data) (\(dataOrigin))"),
            ("endpoints", endpoints.joined(separator: " ")), ("http.allow", allow.isEmpty ? "-" : allow.joined(separator: " ")),
            (
                "http limits",
                "\(http.maxBodyBytes) bytes, connect \(http.connectTimeout.inSeconds) s, idle \(http.idleTimeout.inSeconds) s, "
                    + "total \(http.totalTimeout.inSeconds) s"
            ),
            ("workers", "\(workers) with \(slots) slots"),
        ]
        for feed in feeds {
            let extras = [feed.parameters.joined(separator: " "), feed.editable ? "editable" : "", feed.loads].filter { !$0.isEmpty }
            rows.append(("feed \(feed.name)", ([feed.source] + extras).joined(separator: ", ")))
        }
        for (name, rule) in flow.limits.sorted(by: { $0.key < $1.key }) {
            rows.append(("limit \(name)", rule.line + (flow.limitValues[name].map { ", for each \($0) of feeds" } ?? "")))
        }
        for name in flow.loaders.union(flow.limitsOfLoaders.keys).union(flow.retryRules.keys).sorted() {
            let limits = flow.limitsOfLoaders[name].map { "counts in \($0.joined(separator: ", "))" }
            let words = [limits, flow.retryRules[name]?.line].compactMap { $0 }
            rows.append(("loader \(name)", words.isEmpty ? "known" : words.joined(separator: "; ")))
        }
        for (name, weight) in flow.clientWeights.sorted(by: { $0.key < $1.key }) { rows.append(("client \(name)", "weight \(weight)")) }
        let width = rows.map(\.0.count).max() ?? 0
        var lines = rows.map { $0.0 + String(repeating: " ", count: width - $0.0.count + 2) + $0.1 }
        lines.append("")
        for check in checks {
            let mark =
                switch check.state {
                case .good: "ok  "
                case .warning: "warn"
                case .bad: "bad "
                }
            lines.append("\(mark)  \(check.name): \(check.detail)" + (check.nextStep.map { "; \($0)" } ?? ""))
        }
        return lines
    }
}

extension DoctorReport {
    /// For programs.
    var json: JSONValue {
        .object(
            ("allow", .texts(allow)), ("checks", .list(checks.map(\.json))),
            ("clients", Self.json(flow.clientWeights) { .whole(Int($0)) }), ("configuration", .string(configuration)),
            ("data", .string(data)), ("dataOrigin", .string(dataOrigin)), ("endpoints", .texts(endpoints)),
            ("feeds", .list(feeds.map(\.json))), ("http", Self.json(http)),
            ("limits", Self.json(flow.limits) { .string($0.line) }),
            ("limitValues", Self.json(flow.limitValues) { .string($0.description) }),
            ("limitsOfLoaders", Self.json(flow.limitsOfLoaders) { .texts($0) }),
            ("retryOfLoaders", Self.json(flow.retryRules) { .string($0.line ?? "") }),
            ("slots", .whole(slots)), ("workers", .whole(workers)))
    }

    /// What the configuration says by a name.
    private static func json<Value>(_ named: [String: Value], _ value: (Value) -> JSONValue) -> JSONValue {
        .object(named.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, value($0.value)) })
    }

    private static func json(_ limits: HTTPLimits) -> JSONValue {
        .object(
            ("connectTimeoutSeconds", .number(limits.connectTimeout.inSeconds)),
            ("idleTimeoutSeconds", .number(limits.idleTimeout.inSeconds)),
            ("maxBodyBytes", .whole(limits.maxBodyBytes)), ("totalTimeoutSeconds", .number(limits.totalTimeout.inSeconds)))
    }
}

extension DoctorReport.Feed {
    fileprivate var json: JSONValue {
        .object(
            ("editable", .bool(editable)), ("fields", .texts(fields)), ("loads", loads.isEmpty ? nil : .string(loads)),
            ("name", .string(name)), ("parameters", .texts(parameters)), ("screen", .string(screen)), ("source", .string(source)))
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
