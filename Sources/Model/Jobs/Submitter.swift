//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// On whose behalf jobs are accepted.
public enum Submitter: Hashable, Sendable {
    /// A client, in that session. The session may be over by now.
    case session(SessionID)
    /// A schedule, by its name: one of its occurrences was due.
    case schedule(String)
    /// Another job, while it ran.
    case parent(JobID)
    /// The front, by itself: nobody asked.
    case front

    /// Who speaks in a session; `none`: nobody does, so it is the front.
    public init(_ session: SessionID) { self = session == .none ? .front : .session(session) }

    /// The session that outcomes may be sent to; `none`: there is none.
    public var session: SessionID {
        switch self {
        case .session(let session): session
        case .schedule, .parent, .front: .none
        }
    }

    /// Bytes of the texts in it.
    public var byteCount: Int {
        switch self {
        case .schedule(let name): name.utf8.count
        case .session, .parent, .front: 0
        }
    }
}
