//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryClient
package import GantryModel

/// A page of things, with the cursor of the next one.
struct ShownList<Item: Sendable>: Sendable {
    let items: [Item]
    var next: String?
    var counts: JobCounts?
    var retention: JobRetention?

    static func shape(_ name: String, _ about: String, of kind: JSONKind<Item>, _ more: [JSONShape<Self>.Field] = []) -> JSONShape<Self> {
        let own: [JSONShape<Self>.Field] = [
            .always("items", .list(of: kind), "In order.") { $0.items },
            .sometimes("next", .text, "The cursor of the next page, where there is one.") { $0.next },
        ]
        return JSONShape(name, about, own + more)
    }
}

extension JSONValue {
    /// The shape `feeds`.
    package static func feeds(_ feeds: [FeedState]) -> JSONValue { ShownFeed.list.json(ShownList(items: feeds.map { ShownFeed($0) })) }

    /// The shape `jobs`; on the topic `jobs` with counts.
    package static func jobs(
        _ jobs: [JobSummary], next: String? = nil, counts: JobCounts? = nil, retention: JobRetention? = nil
    ) -> JSONValue {
        ShownJob.list.json(ShownList(items: jobs.map { ShownJob(job: $0) }, next: next, counts: counts, retention: retention))
    }

    /// The shape `workers`.
    package static func workers(_ workers: [WorkerSummary], paused pauses: [Pause] = []) -> JSONValue {
        ListedWorker.list.json(ShownList(items: ListedWorker.all(workers, paused: pauses)))
    }
}

extension JSONValue {
    /// The shape `limits`.
    /// - Parameter now: When they are shown; nil: without their tokens.
    package static func limits(_ limits: [LimitSummary], at now: WallTime?) -> JSONValue {
        ShownLimit.list.json(ShownList(items: limits.map { ShownLimit(limit: $0, now: now) }))
    }

    /// The shape `pauses`.
    package static func pauses(_ pauses: [Pause]) -> JSONValue { Pause.list.json(ShownList(items: pauses)) }

    /// The shape `loaders`.
    package static func loaders(_ loaders: [ShownLoader]) -> JSONValue { ShownLoader.list.json(ShownList(items: loaders)) }
}

/// The schemas of what this module writes.
package enum StateSchemas {
    /// Each of them once.
    package static var all: [any NamedSchema] {
        [
            ShownFeed.shape, ShownFeed.list, ShownActivity.shape, FeedContent.shape, WaitReason.shape, JobProgress.shape, Failure.shape,
            ShownJob.shape, ShownJob.list, JobRetention.shape, JobRetention.Rule.shape, JobRun.shape, LogLine.shape, CancelReceipt.shape,
            JobExplanation.shape, JobCounts.shape,
            ShownView.shape,
            ViewRevision.shape, SortOrder.shape, Detail.shape, ListedWorker.shape, ListedWorker.list, ShownWorker.shape, FeedPage.shape,
            ShownChange.shape,
            LimitKey.shape, LimitRefill.shape, ShownLimit.shape, ShownLimit.list, ShownLimitValue.shape,
            Pause.shape, Pause.list, ShownLoader.shape, ShownLoader.list, RetryRule.shape, CodeRetryRule.shape, UniqueKey.shape,
            BulkSummary.shape,
            DeadCause.shape, DeadCause.list,
        ] + ItemValue.wholeShapes
    }
}
