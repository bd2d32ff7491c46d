//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

extension BulkSummary {
    /// The shape `bulk`.
    package var json: JSONValue { Self.shape.json(self) }

    /// For people: how far it has come.
    package var line: String {
        let passed = passedOver > 0 ? ", \(counted(passedOver, "job")) passed over" : ""
        return "\(action): \(counted(done, "job"))\(passed)\(isFinished ? "" : " so far")"
    }

    package static let shape = JSONShape<BulkSummary>(
        "bulk", "An action with many jobs.",
        [
            .always("number", .count, "Its number.") { $0.number },
            .always("action", .text, "What is done with each job, as the word of its command.") { $0.action },
            .sometimes("by", .text, "The label of the client that asked for it.") { $0.by.isEmpty ? nil : $0.by },
            .always("since", .time, "When it was asked for.") { $0.since },
            .always("done", .count, "Jobs with which it was done.") { $0.done },
            .always("passedOver", .count, "Jobs that were chosen, and had changed since or could not take it.") { $0.passedOver },
            .always("finished", .bool, "Whether nothing is left to do.") { $0.isFinished },
        ])
}
