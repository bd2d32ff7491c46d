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
        .always(
            "unoffered", .list(of: .inline(LoaderCount.shape)),
            "Waiting jobs whose loader no registered worker offers, by loader, most first; those that wait for another job of their key are left out."
        ) { $0.unoffered },
        .always("unofferedOthers", .count, "Such jobs of further loaders.") { $0.unofferedOthers },
    ]
}

extension LoaderCount {
    /// How many jobs of one loader there are; it has no file of its own.
    public static let shape = JSONShape<LoaderCount>(
        "loaderCount", "How many jobs of one loader there are.",
        [.always("loader", .text, "The loader.") { $0.loader }, .always("count", .count, "How many jobs.") { $0.count }])
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
