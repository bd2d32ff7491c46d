//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What the loop itself does by the mere passing of time. The machine has deadlines of its own; beats of topics stand in `TopicTable`, which
/// looks at thousands of them.
///
/// What collection must spare is noted with the first row after its time and wakes nobody, so it is none.
enum LoopDeadline: DeadlineHolder {
    /// A snapshot of which its client has left parts unread, by its number.
    case snapshot(UInt64)
    /// What observers of `front` are told of topics has changed.
    case topicCounts
    /// Some peer's socket was full.
    case slowPeers

    /// What is looked at together, in this order.
    enum Kind: Int, CaseIterable, Hashable, Sendable {
        case snapshot
        case topicCounts
        case slowPeers
    }

    var kind: Kind {
        switch self {
        case .snapshot: .snapshot
        case .topicCounts: .topicCounts
        case .slowPeers: .slowPeers
        }
    }

    private var number: UInt64 {
        switch self {
        case .snapshot(let number): number
        case .topicCounts, .slowPeers: 0
        }
    }

    static func < (left: Self, right: Self) -> Bool { (left.kind.rawValue, left.number) < (right.kind.rawValue, right.number) }
}
