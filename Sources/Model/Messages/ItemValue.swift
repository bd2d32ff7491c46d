//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What an item of a topic says.
public enum ItemValue: Hashable, Sendable {
    /// Key `feed` of a feed's topic.
    case feed(FeedState)
    /// Key `view` of a view's topic.
    case view(ViewState)
    /// Key `job` of a job's topic, key `job/<id>` of `jobs`.
    case job(JobSummary)
    /// Key `progress`: removed by the change that carries the outcome.
    case progress(JobID, Progress)
    /// Key `counts` of `jobs`.
    case counts(JobCounts)
    /// Key `worker/<id>` of `workers`.
    case worker(WorkerSummary)
    /// Key `front` of `front`.
    case front(FrontSummary)
    /// Key `storage` of `storage`.
    case storage(StorageSummary)
}
