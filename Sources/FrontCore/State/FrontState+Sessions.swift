//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontState {
    /// The only way to change which replies are kept for a session: what all sessions have of them is counted along.
    mutating func changeReplies<Value>(of id: SessionID, _ change: (inout SessionRecord) -> Value) -> Value? {
        guard let index = sessions.index(forKey: id.rawValue) else { return nil }
        let before = sessions.values[index].keptByteCount
        defer { keptByteCount += sessions.values[index].keptByteCount - before }
        return change(&sessions.values[index])
    }

    /// Keeps a reply until the client says that it has it; one of a turn that the session was stored at or before is in it already, or forgotten.
    ///
    /// Entries do not carry the client's mark, but a request is admitted only if its number is less than a window above it: so replay forgets
    /// most of what was forgotten while serving, and one session never has more replies than its window.
    mutating func keep(_ reply: KeptReply, for id: SessionID, turn: UInt64) {
        let number = reply.number.rawValue
        let window = requestWindow
        _ = changeReplies(of: id) { session in
            guard session.storedTurn < turn else { return }
            session.keep(reply)
            if number >= window { session.forget(below: number - window + 1) }
        }
    }
}
