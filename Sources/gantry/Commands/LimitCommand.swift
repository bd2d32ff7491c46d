//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import GantrySettings
import StateFormatting

/// `gantry limit`: everything that is done with limits.
struct LimitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limit", abstract: "List, show, set and delete limits.",
        discussion: """
            A limit says how many jobs run at once at most, over all workers. A job names it when it is submitted: `--limit api`, or \
            `--limit tenant=acme`, where each value has permits of its own.

            Example: gantry limit list --output json
            """,
        subcommands: [LimitSet.self, LimitList.self, LimitShow.self, LimitDelete.self])
}

/// `gantry limit list`: what is in use of each, and how many jobs wait.
struct LimitList: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the limits.", discussion: "Example: gantry limit list --output json")

    @OptionGroup var options: FrontOptions

    func run() async throws {
        let options = options
        try await options.withClient("limit list") { client in
            let limits = try await client.current(.limits).limits
            let table = Self.table(limits).text(columns: options.printing.columns)
            try options.show(items: limits.map(\.json.text), json: JSONValue.limits(limits).text, table: table)
            if limits.isEmpty { options.notice("there is no limit; set one with: gantry limit set NAME CAPACITY") }
        }
    }

    static func table(_ limits: [LimitSummary]) -> TextTable {
        var table = TextTable(["limit", "capacity", "in use", "values", "waiting"])
        for limit in limits {
            let values = limit.hasValues ? String(limit.valueCount) : "-"
            table.add([limit.name, String(limit.rule.capacity), String(limit.inUse), values, String(limit.waiting)])
        }
        return table
    }
}

/// `gantry limit show`: one limit, with the values for which most jobs wait.
struct LimitShow: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a limit and up to 32 of its values, those that most jobs name.",
        discussion: "Example: gantry limit show api")

    @OptionGroup var argument: LimitArgument
    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, argument) = (options, argument)
        try await options.withClient("limit show") { client in
            let limit = try argument.limit(among: try await client.current(.limits).limits)
            try options.show(limit.json.text, limit.text)
        }
    }
}

/// `gantry limit set`: a limit says something else from now on.
struct LimitSet: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Make a limit, or change its capacity.",
        discussion: """
            It holds from now on and over restarts. Where more jobs run than a lowered capacity allows, they go on; the next one begins when \
            fewer run than it allows. All values share one capacity; jobs without a value are a set of their own. \
            What counts is a run: a permit is free when the run has ended at its worker, or that worker's lease is over; a cancel alone \
            frees none.

            Example: gantry limit set api 5
            """)

    @OptionGroup var argument: LimitArgument

    @Argument(help: "How many jobs run at once at most, 1 to 1,000,000; where jobs name values, for each of them.")
    var capacity: UInt32

    @OptionGroup var options: FrontOptions

    func run() async throws {
        let rule = LimitRule(capacity: capacity)
        if let fault = rule.fault { throw ValidationError(fault) }
        if let fault = LimitKey(argument.name).fault { throw ValidationError(fault) }
        let (options, name) = (options, argument.name)
        try await options.withClient("limit set") { client in
            let old = try await client.current(.limits).limits.first { $0.name == name }
            try await client.setLimit(name, to: rule)
            let json = JSONValue.object(
                ("name", .string(name)), ("capacity", .count(UInt64(rule.capacity))), ("was", old.map { .count(UInt64($0.rule.capacity)) }))
            try options.show(json.text, Self.text(name, rule, insteadOf: old))
        }
    }
}

extension LimitSet {
    /// For people: what it says, and what it said before.
    static func text(_ name: String, _ rule: LimitRule, insteadOf old: LimitSummary?) -> String {
        let text = "limit \(name): \(rule.capacity) at once"
        guard let old else { return text + ", new" }
        guard old.rule != rule else { return text + ", as before" }
        let goOn = !old.hasValues && old.inUse > rule.capacity ? "; \(old.inUse) run and go on" : ""
        return text + ", was \(old.rule.capacity)" + goOn
    }
}

/// `gantry limit delete`: a limit is no more.
struct LimitDelete: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a limit that no job counts in.",
        discussion: "Refused while jobs that have not ended, scheduled ones too, name it.\n\nExample: gantry limit delete api")

    @OptionGroup var argument: LimitArgument
    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, name) = (options, argument.name)
        try await options.withClient("limit delete") { client in
            do {
                try await CommandFailure.ofUnknown(listedBy: "gantry limit list") { try await client.deleteLimit(name) }
            } catch let error as ClientError where error.code == ClientErrorCode(.conflict) {
                throw CommandFailure(.conflict, code: .conflict, message: error.context, nextStep: "gantry limit show \(name)")
            }
            try options.show(JSONValue.object(("name", .string(name)), ("state", .string("deleted"))).text, "limit \(name): deleted")
        }
    }
}

/// A limit on the command line.
struct LimitArgument: ParsableArguments {
    @Argument(help: "The limit's name, as `gantry limit list` shows it: a small letter, then small letters, digits and hyphens.")
    var name: String

    /// The limit that is meant.
    /// - Throws: `CommandFailure` with 6 where there is none.
    func limit(among limits: [LimitSummary]) throws -> LimitSummary {
        if let limit = limits.first(where: { $0.name == name }) { return limit }
        let nearest = SpellingDistance.nearest(to: name, in: limits.map(\.name)).map { "gantry limit show \($0)" }
        throw CommandFailure(
            .notFound, code: .notFound, message: "no limit is called \"\(name)\"", nextStep: nearest ?? "gantry limit list")
    }

    /// What to do where a job names a limit that is not there.
    static func nextStep(insteadOf name: String, among known: [String]) -> String {
        let set = "gantry limit set \(name) CAPACITY"
        return SpellingDistance.nearest(to: name, in: known).map { "use --limit \($0), or \(set)" } ?? set
    }
}

/// The limits of a job on the command line.
struct JobLimitOptions: ParsableArguments {
    @Option(
        name: .long, help: "A limit that it counts in, `api` or with a value `tenant=acme`; up to 4 of them. See `gantry limit`.",
        transform: { argument in
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            // Mostly of a variable that is not set: then all would share the permits of no value.
            if parts.count > 1, parts[1].isEmpty {
                throw ValidationError("--limit: \"\(argument)\" has no value: leave the = out, or name one")
            }
            return LimitKey(parts[0], value: parts.count > 1 ? parts[1] : "")
        })
    var limit: [LimitKey] = []
}
