//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What each further Ctrl-C or SIGTERM does to a process that runs until it is told to end.
struct StopStages {
    /// What a signal asks for.
    enum Stage: Hashable {
        /// End after what is under way.
        case gracefully
        /// Stop what is under way, then end.
        case cancelling
        /// End now, whatever is under way.
        case atOnce
    }

    private var left: [Stage]

    /// - Parameter canCancel: whether there is something between ending after the work and ending at once.
    init(canCancel: Bool) {
        left = canCancel ? [.gracefully, .cancelling] : [.gracefully]
    }

    /// The next signal's stage.
    mutating func next() -> Stage { left.isEmpty ? .atOnce : left.removeFirst() }
}
