//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension JobCounts {
    /// The shape `counts`.
    public var json: JSONValue { Self.shape.json(self) }

    /// The shape `counts`.
    public static let shape = JSONShape<JobCounts>("counts", "Jobs by state.", counted + others)

    private static let counted: [JSONShape<JobCounts>.Field] = shown.map { .always($0.key, .count, $0.about, $0.count) }

    private static let others: [JSONShape<JobCounts>.Field] = [
        .sometimes("oldestWaitingAt", .time, "When the oldest waiting job was accepted.") { $0.oldestWaiting },
        .always("failures", .list(of: .inline(FailureCount.shape)), "Failed and quarantined jobs that are still known, most first.") {
            $0.failures
        },
    ]
}

extension FailureCount {
    /// How many jobs failed in one way; it has no file of its own.
    public static let shape = JSONShape<FailureCount>(
        "failureCount", "How many jobs failed in one way.",
        [
            .always("code", .text, "The failure's code; `other` for the sum of the rarest.") { $0.code.rawValue },
            .always("count", .count, "How many jobs.") { $0.count },
        ])
}
