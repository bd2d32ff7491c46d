//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Counters that somebody waits for: each value is reached when the counter is at least as large.
struct CounterGoal: Hashable, Sendable {
    var path: String
    var requests = 0
    var inFlight = 0
    var finished = 0
    var closedByClient = 0

    func isReached(by counters: PathCounters) -> Bool {
        counters.requests >= requests && counters.inFlight >= inFlight && counters.finished >= finished
            && counters.closedByClient >= closedByClient
    }
}
