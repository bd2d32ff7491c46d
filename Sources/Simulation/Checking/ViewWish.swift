//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What the only client that orders a view was last told to be accepted, each part by itself; nil: not known.
struct ViewWish {
    var sort: SortOrder??
    var filter: String?
    /// Whether a request may take effect at any time, because nobody will ever know what became of it.
    var isLost = false
    /// The newest job that ended without making its order: what was accepted before it is not in effect.
    var spoiledBy = JobID.none

    /// One part of an order, as asked for.
    enum Part {
        case sort(SortOrder?)
        case filter(String)
    }

    /// Forgets a part: what is in effect depends on a request whose answer is open.
    mutating func forget(_ part: Part) {
        switch part {
        case .sort: sort = nil
        case .filter: filter = nil
        }
    }

    /// A part was accepted.
    mutating func accept(_ part: Part, as job: JobID) {
        guard !isLost, job == .none || job > spoiledBy else { return }
        switch part {
        case .sort(let order): sort = .some(order)
        case .filter(let text): filter = text
        }
    }
}

extension Ledger {
    /// An order is asked for: until it is answered nobody knows which one holds.
    func asks(_ part: ViewWish.Part, of view: Topic) {
        wishes[view, default: ViewWish()].forget(part)
    }

    /// An order was accepted.
    func accepted(_ part: ViewWish.Part, of view: Topic, as job: JobID = .none) {
        wishes[view, default: ViewWish()].accept(part, as: job)
    }

    /// What became of a request for an order will not be known.
    func loseWish(of view: Topic) {
        wishes[view] = ViewWish()
        wishes[view]?.isLost = true
    }

    /// Jobs have ended: an order that failed puts the one before it back. With a feed that is forgotten its views go, and their orders.
    func noteOrders(in fact: Fact) {
        if case .feedJobAccepted(let job) = fact, job.operation == .arrange { orderJobs[job.job.rawValue] = .view(job.key, job.view) }
        if case .feedForgotten(let forgotten) = fact {
            for case .view(forgotten.key, let name) in wishes.keys { loseWish(of: .view(forgotten.key, name)) }
        }
        guard case .ended(let ended) = fact else { return }
        for (id, state) in zip(ended.jobs, ended.states)
        where state != JobState.succeeded.rawValue && state != JobState.cancelled.rawValue {
            guard let view = orderJobs[id] else { continue }
            wishes[view, default: ViewWish()].forget(.sort(nil))
            wishes[view, default: ViewWish()].forget(.filter(""))
            wishes[view]?.spoiledBy = JobID(id)
        }
    }

    /// At rest every view is ordered as its client was last told, and what is shown is ordered so.
    func checkWishes(_ item: (_ key: String, _ topic: Topic) -> ItemValue?) {
        guard world.variation.ordersHold, !isMemory else { return }
        for (topic, wish) in wishes {
            guard case .view(let view)? = item("view", topic) else { continue }
            if let sort = wish.sort, view.sort != sort {
                world.violate(.orderStays, "\(topic) is sorted by \(Self.text(view.sort)), accepted was \(Self.text(sort))")
            }
            if let filter = wish.filter, view.filter != filter {
                world.violate(.orderStays, "\(topic) is filtered by \"\(view.filter)\", accepted was \"\(filter)\"")
            }
            guard let pair = view.pair, view.arranging == nil, view.failure == nil else { continue }
            if pair.sort != view.sort || pair.filter != view.filter {
                world.violate(
                    .orderStays, "\(topic) shows \(Self.text(pair.sort)) \"\(pair.filter)\", not \(Self.text(view.sort)) \"\(view.filter)\""
                )
            }
        }
    }

    private static func text(_ order: SortOrder?) -> String { order.map { "\($0.field)\($0.ascending ? "" : " descending")" } ?? "nothing" }
}
