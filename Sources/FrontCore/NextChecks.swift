//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// When each kind of deadline is looked at next. Apart, so that what comes each 20 ms under load (reports to settle) looks at workers
/// only, and not at thousands of sessions.
struct NextChecks: Sendable {
    /// What is looked at together.
    enum Kind: Int, CaseIterable {
        /// Leases, and reports to be settled.
        case workers = 0
        /// Sessions and what they are attached to.
        case sessions
        /// Loads that nobody wants any more.
        case feeds
        /// The counts of `jobs`, which are published now and then.
        case counts
        /// The end of the time in which nothing is granted.
        case grants
    }

    private var times = [MonotonicTime](repeating: .distantFuture, count: Kind.allCases.count)

    /// The earliest of all.
    private(set) var earliest = MonotonicTime.distantFuture

    /// Sets the time of a kind no later than `deadline`.
    mutating func lower(_ kind: Kind, to deadline: MonotonicTime) {
        guard deadline < times[kind.rawValue] else { return }
        times[kind.rawValue] = deadline
        earliest = min(earliest, deadline)
    }

    /// Whether a kind is to be looked at now. If so its next time has to be found anew.
    mutating func takeDue(_ kind: Kind, at now: MonotonicTime) -> Bool {
        guard now >= times[kind.rawValue] else { return false }
        times[kind.rawValue] = .distantFuture
        earliest = times.min() ?? .distantFuture
        return true
    }
}
