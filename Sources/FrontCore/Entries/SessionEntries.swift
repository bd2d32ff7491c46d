//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Fact.SessionOpened: JournalEntry {
    static let survivesMemoryMode = false

    func apply(to state: inout FrontState, turn: EntryTurn) {
        if state.sessions[session.rawValue] == nil {
            state.sessions[session.rawValue] = SessionRecord(id: session, label: label, role: role, nonce: nonce)
            if nonce != 0 { state.sessionNonces[nonce] = session }
            state.sessionOrder.append(session)
        }
        if let stored = turn.stored { state.sessions[session.rawValue]?.storedTurn = stored }
    }
}

extension Fact.SessionEnded: JournalEntry {
    static let survivesMemoryMode = false

    func apply(to state: inout FrontState, turn: EntryTurn) {
        guard let record = state.sessions[session.rawValue], record.storedTurn < turn.number else { return }
        state.sessions[session.rawValue] = nil
        state.keptByteCount -= record.keptByteCount
        if state.sessionNonces[record.nonce] == session { state.sessionNonces[record.nonce] = nil }
        state.sessionOrder.remove(session)
    }
}

extension Fact.ReplyKept: JournalEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int { reply.roughByteCount }

    func apply(to state: inout FrontState, turn: EntryTurn) { state.keep(reply, for: session, turn: turn.number) }
}
