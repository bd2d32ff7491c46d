//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

extension LimitKey {
    static let shape = JSONShape<LimitKey>(
        "limitKey", "A limit that a job counts in.",
        [
            .always("limit", .text, "Its name.") { $0.limit },
            .sometimes("value", .text, "For what of it; none: the limit as a whole.") { $0.value.isEmpty ? nil : $0.value },
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
            .always("waiting", .count, "Jobs that count in it and have none: waiting, scheduled, or to be tried again.") { $0.waiting },
            .always("valueCount", .count, "Values that jobs count for which have not ended; the limit as a whole is one.") {
                $0.valueCount
            },
            .always("values", .list(of: .shape(LimitValue.shape)), "Those for which most jobs wait, at most 32, most first.") { $0.values },
        ])

    static let list = ShownList<LimitSummary>.shape("limits", "A list of limits.", of: .shape(shape))

    /// Whether jobs count in it for other values than the limit as a whole.
    package var hasValues: Bool { valueCount > 1 || values.contains { !$0.value.isEmpty } }

    /// For people: of a limit without values as `7 of 5`, which it is after it was lowered.
    package var usage: String {
        hasValues ? "\(inUse) in \(counted(valueCount, "value")), \(rule.capacity) each" : "\(inUse) of \(rule.capacity)"
    }

    /// For people: a line for the limit, one for each value that is shown.
    package var text: String {
        var lines = ["\(name): \(usage) in use, \(counted(waiting, "job")) without a permit"]
        guard hasValues else { return lines[0] }
        lines += values.map { value in
            let name = value.value.isEmpty ? "(no value)" : value.value
            return "  \(name): \(value.inUse) of \(rule.capacity), \(counted(value.waiting, "job")) without"
        }
        let hidden = valueCount - min(valueCount, UInt64(values.count))
        if hidden > 0 { lines.append("  and \(counted(hidden, "value")) more, for which fewer wait") }
        return lines.joined(separator: "\n")
    }

    /// For people, in the line of the topic.
    var phrase: String { "\(name) \(usage), \(waiting) without" }
}

extension LimitValue {
    static let shape = JSONShape<LimitValue>(
        "limitValue", "One value of a limit.",
        [
            .always("value", .text, "The value; empty: the limit as a whole.") { $0.value },
            .always("inUse", .count, "Permits that are taken: more than the capacity after that was lowered.") { $0.inUse },
            .always("waiting", .count, "Jobs that have none.") { $0.waiting },
        ])
}
