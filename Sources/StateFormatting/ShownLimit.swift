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
        ])
}

extension LimitSummary {
    /// The shape `limit`.
    package var json: JSONValue { Self.shape.json(self) }

    /// The shape `limit`.
    package static let shape = JSONShape<LimitSummary>(
        "limit", "What observers see of a limit.",
        [
            .always("name", .text, "Its name.") { $0.name },
            .always("capacity", .count, "How many jobs run at once at most, for each of its values.") { UInt64($0.rule.capacity) },
            .always("inUse", .count, "Permits that are taken, of all values together.") { $0.inUse },
            .always("waiting", .count, "Jobs that name the limit, have not ended and hold no permit.") { $0.waiting },
            .always("valueCount", .count, "Different values among the jobs that have not ended.") {
                $0.valueCount
            },
            .always("values", .list(of: .shape(LimitValue.shape)), "Of 1,024 values those that most jobs name, at most 32, most first.") {
                $0.values
            },
        ])

    static let list = ShownList<LimitSummary>.shape("limits", "A list of limits.", of: .shape(shape))

    /// Whether jobs count in it for other values than the limit as a whole.
    package var hasValues: Bool { valueCount > 1 || values.contains { !$0.value.isEmpty } }

    /// For people: of a limit without values as `7 of 5`, which it is after it was lowered.
    package var usage: String {
        hasValues ? "\(inUse) in use, \(counted(valueCount, "value")) of \(rule.capacity)" : "\(inUse) of \(rule.capacity) in use"
    }

    /// For people: a line for the limit, one for each value that is shown.
    package var text: String {
        var lines = ["\(name): \(usage), \(Self.waits(waiting))"]
        guard hasValues else { return lines[0] }
        lines += values.map { value in
            let name = value.value.isEmpty ? "(no value)" : value.value
            return "  \(name): \(value.inUse) of \(rule.capacity), \(Self.waits(value.waiting))"
        }
        let hidden = valueCount - min(valueCount, UInt64(values.count))
        if hidden > 0 { lines.append("  and \(counted(hidden, "value")) more") }
        return lines.joined(separator: "\n")
    }

    /// For people, in the line of the topic.
    var phrase: String { "\(name) \(usage), \(Self.waits(waiting))" }

    private static func waits(_ count: UInt64) -> String { count == 1 ? "1 job waits" : "\(count) jobs wait" }
}

extension LimitValue {
    static let shape = JSONShape<LimitValue>(
        "limitValue", "One value of a limit.",
        [
            .always("value", .text, "The value; empty: none.") { $0.value },
            .always("inUse", .count, "Permits that are taken: more than the capacity after that was lowered.") { $0.inUse },
            .always("waiting", .count, "Jobs that have none.") { $0.waiting },
        ])
}
