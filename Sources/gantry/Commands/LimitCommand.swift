//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import GantryPlatform
import GantrySettings
import StateFormatting

/// `gantry limit`: everything that is done with limits.
struct LimitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limit", abstract: "List, show, set, delete and audit limits.",
        discussion: """
            A limit bounds how many jobs run at once over all workers, how many attempts begin in a time, or both. A job names it when it is \
            submitted: `--limit api`, or `--limit tenant=acme`, where each value has permits and tokens of its own. `limits` in gantry.yaml \
            makes limits too, and gives them to loaders and groups whose jobs do not name them.

            Example: gantry limit list --output json
            """,
        subcommands: [LimitSet.self, LimitList.self, LimitShow.self, LimitDelete.self, LimitAuditCommand.self])
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
            let now = WallTime(milliseconds: SystemClock.wallMilliseconds())
            let table = Self.table(limits, at: now).text(columns: options.printing.columns)
            try options.show(items: limits.map { $0.json(at: now).text }, json: JSONValue.limits(limits, at: now).text, table: table)
            if limits.isEmpty { options.notice("there is no limit; set one with: gantry limit set NAME CAPACITY, or NAME --rate 10/m") }
        }
    }

    static func table(_ limits: [LimitSummary], at now: WallTime) -> TextTable {
        var table = TextTable(
            ["limit", "capacity", "rate", "burst", "tokens", "in use", "values", "waiting"],
            narrowing: TextTable.Narrowing(whole: ["rate", "in use", "waiting"], dropped: ["burst", "values", "tokens"]))
        for limit in limits {
            let (capacity, refill) = (limit.rule.capacity.map { String($0) } ?? "-", limit.rule.refill)
            let rate = refill.map { $0.rate + ($0.beyond == .refuse ? ", refuses" : "") } ?? "-"
            // Each value has its own: `limit show` lists them.
            let tokens = limit.tokens(at: now).map { limit.hasValues ? "by value" : String($0) }
            table.add([
                limit.name, capacity, rate, (refill?.burst).map { String($0) } ?? "-", tokens ?? "-",
                limit.rule.capacity == nil ? "-" : String(limit.inUse),
                limit.hasValues ? String(limit.valueCount) : "-", String(limit.waiting),
            ])
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
            let now = WallTime(milliseconds: SystemClock.wallMilliseconds())
            try options.show(limit.json(at: now).text, limit.text(at: now))
        }
    }
}

/// `gantry limit set`: a limit says something else from now on.
struct LimitSet: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Make a limit, or change its capacity and its rate.",
        discussion: """
            The limit holds from now on and over restarts; without a capacity, or without a rate, that is not bounded any more. Where more jobs run than a lowered \
            capacity allows, they go on; the next one begins when fewer run than it allows. What counts is a run: a permit is free when the run \
            has ended at its worker, or that worker's lease is over; a cancel alone frees none.

            A rate is a bucket of tokens: each attempt of a job takes one, a retry too, and they come back evenly, `10/m` one every six seconds, \
            up to the burst. In any time no more attempts are given to workers than the burst and what comes in that time: so 100 in a window of 15 minutes is \
            `--rate 100/15m`. Until a rate is changed tokens come by the old one.

            With `--beyond refuse` a job for which there is no token is not accepted: `job submit` ends with code 8 and says when to come again. Jobs that \
            were accepted and have not started have the next tokens. A `feed load` is refused in the same way; details and repetitions of ended jobs wait.

            Each value has permits and tokens of its own, as many as the limit says; jobs without a value are a set of their own.

            What is set for a limit of gantry.yaml holds until it is deleted, or the file says something else of it when the front starts.

            Example: gantry limit set api 5 --rate 10/m --burst 20
            """)

    @OptionGroup var argument: LimitArgument

    @Argument(help: "How many jobs run at once at most, 1 to 1,000,000; where jobs name values, for each of them.")
    var capacity: UInt32?

    @Option(
        name: .long, help: "How many attempts are given to workers in a time, 1 to 1,000,000 in 1s to 30d: 500/s, 10/m, 100/15m, 1/d.",
        transform: { argument in
            guard let rate = LimitRate(argument) else { throw ValidationError("\"\(argument)\" is no rate: \(LimitRate.advice)") }
            return rate
        })
    var rate: LimitRate?

    @Option(name: .long, help: "How many tokens there are at most, 1 to 1,000,000; as many as the rate's count unless said.")
    var burst: UInt32?

    @Option(
        name: .long, help: "What becomes of jobs for which there is no token: wait lets them wait for one, refuse accepts none of them.",
        transform: { argument in
            guard let beyond = LimitBeyond(word: argument) else {
                throw ValidationError("\"\(argument)\" cannot follow --beyond: write wait or refuse")
            }
            return beyond
        })
    var beyond: LimitBeyond?

    @OptionGroup var options: FrontOptions

    func run() async throws {
        let rule = try Self.rule(capacity, rate, burst: burst, beyond: beyond)
        if let fault = LimitKey(argument.name).fault { throw ValidationError(fault) }
        let (options, name) = (options, argument.name)
        try await options.withClient("limit set") { client in
            let old = try await client.current(.limits).limits.first { $0.name == name }
            try await client.setLimit(name, to: rule)
            let json = JSONValue.object(
                ("name", .string(name)), ("capacity", rule.capacity.map { .count(UInt64($0)) }),
                ("rate", (rule.refill?.rate).map { .string($0) }),
                ("burst", (rule.refill?.burst).map { .count(UInt64($0)) }), ("beyond", (rule.refill?.beyond.word).map { .string($0) }),
                ("was", (old?.rule.capacity).map { .count(UInt64($0)) }),
                ("rateWas", (old?.rule.refill?.rate).map { .string($0) }))
            try options.show(json.text, Self.text(name, rule, insteadOf: old))
        }
    }

    /// The rule of a command.
    /// - Throws: `ValidationError` for one that cannot be.
    static func rule(_ capacity: UInt32?, _ rate: LimitRate?, burst: UInt32?, beyond: LimitBeyond? = nil) throws -> LimitRule {
        if burst != nil, rate == nil {
            throw ValidationError("--burst says how many tokens of a rate there are: give --rate too, like 10/m")
        }
        if beyond != nil, rate == nil {
            throw ValidationError("--beyond says what becomes of jobs for which a rate has no token: give --rate too, like 10/m")
        }
        let refill = rate.map { LimitRefill($0.count, per: $0.period, burst: burst, beyond: beyond ?? .wait) }
        let rule = LimitRule(capacity: capacity, refill: refill)
        if capacity == nil, rate == nil {
            throw ValidationError("give a capacity, like 5, a rate, like --rate 10/m, or both: a limit without either limits nothing")
        }
        if let fault = rule.fault { throw ValidationError(fault) }
        return rule
    }
}

extension LimitSet {
    /// For people: what it says, and what it said before.
    static func text(_ name: String, _ rule: LimitRule, insteadOf old: LimitSummary?) -> String {
        let text = "limit \(name): \(rule.line)"
        guard let old else { return text + ", new" }
        guard old.rule != rule else { return text + ", as before" }
        let isOver = rule.capacity.map { !old.hasValues && old.inUse > $0 } ?? false
        let now = old.rule.refill?.beyond == .refuse && rule.refill?.beyond == .wait ? "; jobs beyond it wait now" : ""
        return text + now + ", was \(old.rule.line(beside: rule))" + (isOver ? "; \(old.inUse) run and go on" : "")
    }
}

extension LimitRule {
    /// What it says, for people who have read what another one does: a mere number where both say how many run at once and no more.
    fileprivate func line(beside other: LimitRule) -> String {
        guard let capacity, refill == nil, other.refill == nil, other.capacity != nil else { return line }
        return String(capacity)
    }
}

/// `gantry limit delete`: a limit is no more.
struct LimitDelete: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a limit, or what was set by command for a limit of gantry.yaml.",
        discussion: """
            A limit is not deleted while a job that has not ended names it, be it scheduled. One of gantry.yaml stays, with what the file says.

            Example: gantry limit delete api
            """)

    @OptionGroup var argument: LimitArgument
    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, argument, name) = (options, argument, argument.name)
        try await options.withClient("limit delete") { client in
            let limits = try await client.current(.limits).limits
            let configured = limits.first { $0.name == name }?.configured
            do {
                try await client.deleteLimit(name)
            } catch let error as ClientError where error.code == ClientErrorCode(.unknownItem) {
                throw argument.unknown(among: limits)
            } catch let error as ClientError where error.code == ClientErrorCode(.conflict) {
                throw CommandFailure(.conflict, code: .conflict, message: error.context, nextStep: "gantry limit show \(name)")
            }
            let (state, text) = configured.map { ("configured", "\($0.line) again, as gantry.yaml says") } ?? ("deleted", "deleted")
            try options.show(JSONValue.object(("name", .string(name)), ("state", .string(state))).text, "limit \(name): \(text)")
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
        guard let limit = limits.first(where: { $0.name == name }) else { throw unknown(among: limits) }
        return limit
    }

    /// There is no such limit. The nearest one may have been meant: it is to be looked at, also by whoever wants to delete it.
    func unknown(among limits: [LimitSummary]) -> CommandFailure {
        let nearest = SpellingDistance.nearest(to: name, in: limits.map(\.name)).map { "gantry limit show \($0)" }
        return CommandFailure(
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
        name: .long,
        help: """
            A limit that it counts in, `api`, with a value `tenant=acme`, or with a weight `api:3` or `tenant:3=acme`: it takes so many permits, \
            all or none; up to 4 limits. A limit with only a rate has no permits, so that a weight counts for nothing there. See `gantry limit`.
            """,
        transform: { argument in
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            // A name has no colon; what follows the = may.
            let names = parts[0].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let weight = names.count > 1 ? UInt32(names[1]) : 1
            guard let weight, weight > 0 else {
                let range = "1 to \(LimitKey.greatestWeight.grouped)"
                throw ValidationError(
                    "\"\(names[1])\" is no weight: write how many permits the job takes, \(range), like \(names[0]):3")
            }
            // Mostly of a variable that is not set: then all would share the permits of no value.
            if parts.count > 1, parts[1].isEmpty {
                throw ValidationError("\"\(argument)\" has no value: leave the = out, or name one")
            }
            return LimitKey(names[0], value: parts.count > 1 ? parts[1] : "", weight: weight)
        })
    var limit: [LimitKey] = []
}

extension FrontOptions {
    /// Says which weights take nothing: who gives one to a limit that has only a rate may think that it takes as many tokens.
    /// - Parameter names: Limits in which jobs have a weight.
    func noteIdleWeights(in names: Set<String>, _ client: GantryClient) async {
        guard !names.isEmpty, let limits = try? await client.current(.limits).limits else { return }
        for limit in limits where names.contains(limit.name) {
            if let text = LimitArgument.notice(ofWeightIn: limit) { notice(text) }
        }
    }
}

extension LimitArgument {
    /// What a weight in a limit counts for, where that is nothing; nil: it counts.
    static func notice(ofWeightIn limit: LimitSummary) -> String? {
        guard limit.rule.capacity == nil else { return nil }
        return "the limit \(limit.name) has only a rate: each attempt takes one token of it, whatever its weight"
    }
}
