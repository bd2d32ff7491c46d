//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Counts requests by path from their beginning to one of their ends.
struct RequestLog: Sendable {
    enum Ending: Sendable {
        /// The whole answer was sent.
        case finished
        /// The client closed the connection before.
        case closedByClient
        /// We closed the connection before.
        case cut
    }

    /// Paths counted each for itself; requests of further paths are counted together as `*`.
    static let pathLimit = 10_000

    private var counters: [String: PathCounters] = [:]
    private var open: [UInt64: String] = [:]
    private var lastCallID: UInt64 = 0

    /// Sorted by path.
    var all: [PathCounters] { counters.values.sorted { $0.path < $1.path } }

    subscript(path: String) -> PathCounters { counters[path] ?? PathCounters(path: path) }

    /// Returns the number under which the request ends.
    mutating func begin(path: String) -> UInt64 {
        let name = counters[path] != nil || counters.count < Self.pathLimit ? path : "*"
        lastCallID += 1
        open[lastCallID] = name
        var entry = self[name]
        entry.requests += 1
        entry.inFlight += 1
        entry.mostInFlight = max(entry.mostInFlight, entry.inFlight)
        counters[name] = entry
        return lastCallID
    }

    mutating func sent(_ byteCount: Int, callID: UInt64) {
        guard let path = open[callID] else { return }
        counters[path]?.bytesSent += byteCount
    }

    /// The first end of a request counts; false for any later one.
    mutating func end(_ callID: UInt64, _ ending: Ending) -> Bool {
        guard let path = open.removeValue(forKey: callID) else { return false }
        var entry = self[path]
        entry.inFlight -= 1
        switch ending {
        case .finished: entry.finished += 1
        case .closedByClient: entry.closedByClient += 1
        case .cut: entry.cut += 1
        }
        counters[path] = entry
        return true
    }
}

/// What the origin saw at one path since it started.
package struct PathCounters: Hashable, Sendable, Codable {
    /// The path without its query.
    package var path: String
    /// Requests received.
    package var requests = 0
    /// Requests received and not yet ended in any way.
    package var inFlight = 0
    /// The largest `inFlight` there was.
    package var mostInFlight = 0
    /// Answers sent to their end.
    package var finished = 0
    /// Connections that the client closed before its answer was sent to the end.
    package var closedByClient = 0
    /// Connections that a fault, or the end of the origin, cut.
    package var cut = 0
    /// Bytes of bodies given to connections.
    package var bytesSent = 0

    /// Counters of a path that was not asked for yet.
    package init(path: String) {
        self.path = path
    }
}

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
