//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What the loop itself does when a time has come. The machine has deadlines of its own.
///
/// What collection must spare is noted with the first row after its time and wakes nobody, so it is none.
enum LoopDeadline: DeadlineHolder {
    /// A snapshot of which its client has left parts unread, by its number.
    case snapshot(UInt64)
    /// A topic whose next bookmark may be due, by its number.
    case topic(UInt64)
    /// Topics that nobody observes, of which the one that was used longest ago may go.
    case idleTopics
    /// The counts of topics in `front` have changed.
    case topicCounts
    /// Some peer's socket was full.
    case slowPeers

    /// What is looked at together, in this order.
    enum Kind: Int, CaseIterable, Hashable, Sendable {
        case snapshot
        case topic
        case idleTopics
        case topicCounts
        case slowPeers
    }

    var kind: Kind {
        switch self {
        case .snapshot: .snapshot
        case .topic: .topic
        case .idleTopics: .idleTopics
        case .topicCounts: .topicCounts
        case .slowPeers: .slowPeers
        }
    }

    private var number: UInt64 {
        switch self {
        case .snapshot(let number), .topic(let number): number
        case .idleTopics, .topicCounts, .slowPeers: 0
        }
    }

    static func < (left: Self, right: Self) -> Bool { (left.kind.rawValue, left.number) < (right.kind.rawValue, right.number) }
}
