//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension FrontMachine {
    /// The value of a topic's item as it is now; nil: there is no such item, or the machine does not know it.
    public func item(_ key: String, of topic: Topic) -> ItemValue? {
        switch topic {
        case .feed(let feed): feeds.item(key, of: feed, queue.views, in: turn)
        case .view(let feed, let name): turn.state.feeds[feed]?.views[name].map { .view($0) }
        case .job(let id): queue.item(key, of: id, in: turn)
        case .jobs: queue.item(key, in: turn)
        case .workers: workforce.item(key, in: turn)
        case .front: .front(turn.context.summary)
        // The loop alone knows it.
        default: nil
        }
    }

    /// The keys of all of a topic's items, in an order of their own.
    public func itemKeys(of topic: Topic) -> [String] {
        switch topic {
        case .feed(let feed): feeds.itemKeys(of: feed, queue.views, in: turn)
        case .view(let feed, let name): turn.state.feeds[feed]?.views[name] == nil ? [] : ["view"]
        case .job(let id): queue.itemKeys(of: id, in: turn)
        case .jobs: ["counts"] + queue.views.listed.map { "job/\($0)" }
        case .workers: turn.state.workers.all.map { "worker/\($0.id)" }
        // One item, with the topic's own name.
        default: [topic.description]
        }
    }
}
