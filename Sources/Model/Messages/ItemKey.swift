//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The keys of topics' items. A topic that has one item only gives it the topic's own name.
public enum ItemKey {
    /// The state of a feed.
    public static let feed = "feed"
    /// The state of a view.
    public static let view = "view"
    /// A job, in its own topic.
    public static let job = "job"
    /// How far the job is that works for a feed, or that the topic is of.
    public static let progress = "progress"
    /// How many jobs there are, by state.
    public static let counts = "counts"

    /// The only item of a topic that has no other.
    public static func only(of topic: Topic) -> String { topic.description }

    /// One of the live jobs that are shown among all.
    public static func job(_ id: UInt64) -> String { "job/\(id)" }

    /// One of the workers.
    public static func worker(_ id: WorkerID) -> String { "worker/\(id)" }
}
