//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What the machine decides, in order, each action with the event that caused it. A buffer to be used again and again.
///
/// An event is noted once for all its actions, where they begin: an action costs no more than without it.
public struct FrontActions: Sendable {
    /// Where the actions of an event begin; they end where those of the next do.
    private struct Run {
        var cause: EventID
        var start: Int
    }

    private var actions: [FrontAction] = []
    private var runs: [Run] = []

    /// An empty buffer.
    public init() {}

    /// How many actions there are.
    public var count: Int { actions.count }

    /// Whether there is none.
    public var isEmpty: Bool { actions.isEmpty }

    /// What is appended from now on follows from that event.
    mutating func begin(_ cause: EventID) {
        // An event that decided nothing leaves no trace, so the notes are never more than the actions and one.
        if let last = runs.indices.last, runs[last].start == actions.count {
            runs[last].cause = cause
        } else {
            runs.append(Run(cause: cause, start: actions.count))
        }
    }

    mutating func append(_ action: FrontAction) { actions.append(action) }

    /// Empties the buffer and keeps its memory.
    public mutating func removeAll() {
        actions.removeAll(keepingCapacity: true)
        runs.removeAll(keepingCapacity: true)
    }
}

extension FrontActions: Sequence {
    /// Goes through the actions in order.
    public struct Iterator: IteratorProtocol {
        private let decided: FrontActions
        private var index = 0
        private var nextRun = 0
        private var cause = EventID.start

        fileprivate init(_ decided: FrontActions) { self.decided = decided }

        /// The next action and what caused it; nil: there is no other.
        public mutating func next() -> (cause: EventID, action: FrontAction)? {
            guard index < decided.actions.count else { return nil }
            while nextRun < decided.runs.count, decided.runs[nextRun].start <= index {
                cause = decided.runs[nextRun].cause
                nextRun += 1
            }
            defer { index += 1 }
            return (cause, decided.actions[index])
        }
    }

    /// A walk through the actions as they are now.
    public func makeIterator() -> Iterator { Iterator(self) }
}
