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

    /// Returns the ticket under which the request ends.
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
