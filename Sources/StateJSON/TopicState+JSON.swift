//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Client
public import Model

extension TopicState {
    /// The shape `change`: one line of `watch`, with the whole state.
    public func json(at time: WallTime) -> JSONValue { ShownChange.shape.json(ShownChange(state: self, time: time)) }

    /// The topic's state alone: a feed, a view, a job, the front, or a list; nil when there is no such thing.
    public var stateJSON: JSONValue? {
        switch topic {
        case .feed: feed?.json(progress: progress)
        case .view: view?.json()
        case .job: job?.json(progress: progress)
        case .jobs: .jobs(jobs, counts: counts)
        case .workers: .workers(workers)
        default: items[ItemKey.only(of: topic)]?.whole?.json
        }
    }
}

/// A state of a topic and when it was seen.
struct ShownChange: Sendable {
    /// The words of `watch`: proof belongs to the snapshot that it proves, a sum that differs is a gap.
    private enum Event: String, CaseIterable { case snapshot, change, gap, epoch, lost, back }

    let state: TopicState
    let time: WallTime

    private var event: Event {
        switch state.event {
        case .snapshot, .verified: .snapshot
        case .change: .change
        case .gap, .checksumDiffers: .gap
        case .epoch: .epoch
        case .lost: .lost
        case .back: .back
        }
    }

    static let shape = JSONShape<ShownChange>(
        "change", "One line of `gantry watch --output jsonl`.",
        [
            .always("topic", .text, "The topic, with the defaults of a feed's parameters.") { $0.state.resolved.description },
            .always("epoch", .count, "The life of the front.") { $0.state.epoch.rawValue },
            .always("sequence", .count, "How many changes the topic had.") { $0.state.sequence.rawValue },
            .always("checksum", .topicChecksum, "The sum of all its items.") { $0.state.checksum },
            .always("verified", .bool, "Whether that is verified to be the front's.") { $0.state.isVerified },
            .always("event", .word, "Why there is a line.") { $0.event },
            .always("at", .time, "When it was seen.") { $0.time },
            .sometimes("state", .object, "All of it: the shape of the topic's kind; nothing where there is no such thing.") {
                $0.state.stateJSON
            },
        ])
}
