//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What observers see that the loop alone knows. Nothing is decided by it, so the machine does not hear of it.
struct LoopKnowledge {
    /// How many topics are subscribed or asked for, as observers of `front` were told last.
    var subscriptions: UInt64 = 0
    /// How many were not brought up because of the bound, likewise.
    var refusedTopics: UInt64 = 0
    /// How many subscriptions were made, likewise.
    var subscriptionsMade: UInt64 = 0
    /// The only item of each topic whose item the loop alone knows.
    var items = Self.firstItems

    /// An item of a topic as observers see it.
    /// - Parameter item: what the machine says of it; nil: nothing.
    func completing(_ item: ItemValue?, of topic: Topic) -> ItemValue? {
        switch item {
        case nil: return items[topic]
        case .front(var summary):
            summary.subscriptions = subscriptions
            summary.refusedTopics = refusedTopics
            summary.subscriptionsMade = subscriptionsMade
            return .front(summary)
        default: return item
        }
    }
}
