//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What the origin saw at one path since it started.
public struct PathCounters: Hashable, Sendable, Codable {
    /// The path without its query.
    public var path: String
    /// Requests received.
    public var requests = 0
    /// Requests received and not yet ended in any way.
    public var inFlight = 0
    /// The largest `inFlight` there was.
    public var mostInFlight = 0
    /// Answers sent to their end.
    public var finished = 0
    /// Connections that the client closed before its answer was sent to the end.
    public var closedByClient = 0
    /// Connections that a fault, or the end of the origin, cut.
    public var cut = 0
    /// Bytes of bodies given to connections.
    public var bytesSent = 0

    /// Counters of a path that was not asked for yet.
    public init(path: String) {
        self.path = path
    }
}
