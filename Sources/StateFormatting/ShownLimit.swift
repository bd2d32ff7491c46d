//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

extension LimitKey {
    static let shape = JSONShape<LimitKey>(
        "limitKey", "A limit that a job counts in.",
        [
            .always("limit", .text, "Its name.") { $0.limit },
            .sometimes("value", .text, "For what of it.") { $0.value.isEmpty ? nil : $0.value },
            .sometimes("weight", .count, "How many permits the job takes, where those are several.") {
                $0.weight == 1 ? nil : UInt64($0.weight)
            },
        ])
}

extension LimitRule {
    static let shape = JSONShape<LimitRule>(
        "limitRule", "What a limit says.",
        [
            .sometimes("capacity", .count, "How many permits there are at once.") { $0.capacity.map { UInt64($0) } },
            .sometimes("refill", .shape(LimitRefill.shape), "How many attempts begin in a time.") { $0.refill },
        ])
}

extension LimitRefill {
    static let shape = JSONShape<LimitRefill>(
        "limitRefill", "How many attempts begin in a time.",
        [
            .always("rate", .text, "As `gantry limit set --rate` takes it.") { $0.rate },
            .always("count", .count, "Tokens that come in each period.") { UInt64($0.count) },
            .always("periodSeconds", .number, "In which time they come.") { $0.period.inSeconds },
            .always("burst", .count, "The most tokens that there are.") { UInt64($0.burst) },
            .always("beyond", .word(LimitBeyond.allCases) { $0.word }, "What becomes of jobs for which there is none.") { $0.beyond },
        ])
}

/// A limit as it is at a time.
struct ShownLimit: Sendable {
    let limit: LimitSummary
    /// When it is shown; nil: its tokens, of which the number changes as time passes, are left out.
    let now: WallTime?

    private var values: [ShownLimitValue] { limit.values.map { ShownLimitValue(value: $0, refill: limit.rule.refill, now: now) } }

    /// The tokens of a limit without values.
    private var tokens: ShownTokens? { ShownTokens(limit.rule.refill, fullAt: limit.ownFullAt, at: now) }

    /// The shape `limit`.
    static let shape = JSONShape<ShownLimit>(
        "limit", "What observers see of a limit.",
        [
            .always("name", .text, "Its name.") { $0.limit.name },
            .sometimes("capacity", .count, "How many jobs run at once at most, for each of its values; nothing where that has no bound.") {
                $0.limit.rule.capacity.map { UInt64($0) }
            },
            .sometimes("refill", .shape(LimitRefill.shape), "How many attempts begin in a time, for each of its values.") {
                $0.limit.rule.refill
            },
            .always("origin", .text, "Where that stands: `configuration`, or `command` where somebody set it while the front ran.") {
                $0.limit.isConfigured ? "configuration" : "command"
            },
            .sometimes("configured", .shape(LimitRule.shape), "What the configuration says instead, where a command has replaced it.") {
                $0.limit.isConfigured ? nil : $0.limit.configured
            },
            .always("inUse", .count, "Permits that are taken, of all values together.") { $0.limit.inUse },
            .always("waiting", .count, "Jobs that name the limit, have not ended and hold no permit.") { $0.limit.waiting },
            .sometimes("tokens", .count, "Tokens that are left, of jobs without a value.") { $0.tokens.map { UInt64($0.count) } },
            .sometimes("nextToken", .time, "When the next one comes to jobs without a value, where none is left.") { $0.tokens?.next },
            .sometimes("fullAt", .time, "When a value that no job names has all tokens; it may be over.") { $0.limit.fullAt },
            .always("valueCount", .count, "Different values among the jobs that have not ended, and those of which tokens are missing.") {
                $0.limit.valueCount
            },
            .always(
                "values", .list(of: .shape(ShownLimitValue.shape)), "Of 1,024 values those that most jobs name, at most 32, most first."
            ) { $0.values },
        ])

    static let list = ShownList<ShownLimit>.shape("limits", "A list of limits.", of: .shape(shape))

    /// For people: a line for the limit, one for each value that is shown.
    var text: String {
        let tokens = limit.hasValues ? nil : tokens
        let parts = [limit.usage, tokens?.text, Self.waits(limit.waiting), limit.originLine]
        var lines = ["\(limit.name): " + parts.compactMap { $0 }.joined(separator: ", ")]
        guard limit.hasValues else { return lines[0] }
        lines += values.map { shown in
            let name = shown.value.value.isEmpty ? "(no value)" : shown.value.value
            let usage = limit.rule.capacity.map { "\(shown.value.inUse) of \($0)" }
            return "  \(name): " + [usage, shown.tokens?.text, Self.waits(shown.value.waiting)].compactMap { $0 }.joined(separator: ", ")
        }
        let hidden = limit.valueCount - min(limit.valueCount, UInt64(limit.values.count))
        if hidden > 0 { lines.append("  and \(counted(hidden, "value")) more") }
        return lines.joined(separator: "\n")
    }

    fileprivate static func waits(_ count: UInt64) -> String { count == 1 ? "1 job waits" : "\(count) jobs wait" }
}

extension LimitSummary {
    /// The shape `limit`, as it is at a time.
    package func json(at now: WallTime) -> JSONValue { ShownLimit.shape.json(ShownLimit(limit: self, now: now)) }

    /// For people: a line for the limit, one for each value that is shown.
    package func text(at now: WallTime) -> String { ShownLimit(limit: self, now: now).text }

    /// How many tokens jobs without a value have, for people; nil: the limit has no rate.
    package func tokens(at now: WallTime) -> UInt32? { rule.refill?.tokens(fullAt: ownFullAt, at: now) }

    /// Whether jobs count in it for other values than the limit as a whole.
    package var hasValues: Bool { valueCount > 1 || values.contains { !$0.value.isEmpty } }

    /// When no token of jobs without a value is missing any more.
    fileprivate var ownFullAt: WallTime? { values.first { $0.value.isEmpty }?.fullAt ?? fullAt }

    /// For people: of a limit without values as `7 of 5`, which it is after it was lowered. One that has only a rate has nothing in use.
    package var usage: String {
        let permits = rule.capacity.map { hasValues ? "\(inUse) in use" : "\(inUse) of \($0) in use" }
        let values = hasValues ? counted(valueCount, "value") + (rule.capacity.map { " of \($0) each" } ?? "") : nil
        return [permits, values, rule.refill?.line].compactMap { $0 }.joined(separator: ", ")
    }

    /// Where it stands, for people; nil: somebody has set it.
    fileprivate var originLine: String? {
        configured.map { isConfigured ? "from gantry.yaml" : "set by command, gantry.yaml says \($0.line)" }
    }

    /// For people, in the line of the topic.
    var phrase: String { "\(name) \(usage), \(ShownLimit.waits(waiting))" }
}

/// One value of a limit as it is at a time.
struct ShownLimitValue: Sendable {
    let value: LimitValue
    let refill: LimitRefill?
    let now: WallTime?

    fileprivate var tokens: ShownTokens? { ShownTokens(refill, fullAt: value.fullAt, at: now) }

    static let shape = JSONShape<ShownLimitValue>(
        "limitValue", "One value of a limit.",
        [
            .always("value", .text, "The value; empty: none.") { $0.value.value },
            .always("inUse", .count, "Permits that are taken: more than the capacity after that was lowered.") { $0.value.inUse },
            .always("waiting", .count, "Jobs that have none.") { $0.value.waiting },
            .sometimes("tokens", .count, "Tokens that are left.") { $0.tokens.map { UInt64($0.count) } },
            .sometimes("nextToken", .time, "When the next one comes, where none is left.") { $0.tokens?.next },
            .sometimes("fullAt", .time, "When none is missing any more; it may be over.") { $0.value.fullAt },
        ])
}

/// The tokens of a bucket at a time.
private struct ShownTokens {
    let count: UInt32
    let next: WallTime?

    /// Nil: there is no rate, or no time.
    init?(_ refill: LimitRefill?, fullAt: WallTime?, at now: WallTime?) {
        guard let refill, let now else { return nil }
        (count, next) = (refill.tokens(fullAt: fullAt, at: now), refill.nextToken(fullAt: fullAt, at: now))
    }

    /// For people.
    var text: String { next.map { "no token before \($0.rfc3339)" } ?? counted(count, "token") }
}
