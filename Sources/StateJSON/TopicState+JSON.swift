//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Client
public import Model

extension TopicState {
    /// The shape `change`: one line of `watch`, with the whole state.
    public func json(at time: WallTime) -> JSONValue {
        .object(
            ("topic", .string(resolved.description)), ("epoch", .count(epoch.rawValue)), ("sequence", .count(sequence.rawValue)),
            ("digest", .string(digest.description)), ("verified", .bool(isVerified)), ("event", .string(shownEvent)), ("at", time.json),
            ("state", stateJSON))
    }

    /// The topic's state alone: a feed, a view, a job, the front, or a list; nil when there is no such thing.
    public var stateJSON: JSONValue? {
        switch topic {
        case .feed: feed?.json(progress: progress)
        case .view: view?.json
        case .job: job?.json(progress: progress)
        case .jobs: JSONValue.list(jobs.map { $0.json() }).adding(("counts", counts?.json))
        case .workers: .list(workers.map(\.json))
        default: items[topic.description]?.whole?.json
        }
    }

    /// The words of `watch`: proof belongs to the snapshot that it proves, a sum that differs is a gap.
    private var shownEvent: String {
        switch event {
        case .snapshot, .verified: "snapshot"
        case .change: "change"
        case .gap, .digestDiffers: "gap"
        case .epoch: "epoch"
        case .lost: "lost"
        case .back: "back"
        }
    }
}
