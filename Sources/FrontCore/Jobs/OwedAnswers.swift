//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What sessions are to be told of their jobs at the end of the turn; beside the sessions' records, because each outcome passes here and
/// a dictionary's elements cannot be changed in place without asking for memory.
struct OwedAnswers {
    /// A session and its outcomes.
    struct Entry {
        let session: UInt64
        var answers = FrontMessage.Answers()
    }

    /// In order of the sessions' first outcome.
    var entries: [Entry] = []
    /// Bytes of results among them that were asked for, rather than having just come.
    var askedByteCount = 0
    private var places: [UInt64: Int] = [:]

    /// Where the session's outcomes are gathered; nil: there is no such session.
    mutating func place(of session: UInt64, in state: FrontState) -> Int? {
        if let last = entries.last, last.session == session { return entries.count - 1 }
        if let place = places[session] { return place }
        guard state.sessions.contains(SessionID(session)) else { return nil }
        places[session] = entries.count
        entries.append(Entry(session: session))
        return entries.count - 1
    }

    /// Everybody was told.
    mutating func removeAll() {
        askedByteCount = 0
        guard !entries.isEmpty else { return }
        entries.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }
}
