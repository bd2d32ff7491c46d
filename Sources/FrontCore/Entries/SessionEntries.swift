//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JournalEntry.SessionOpened: AppliedEntry {
    static let survivesMemoryMode = false

    func apply(to state: inout FrontState, turn: EntryTurn) { state.sessions.apply(self, turn) }
}

extension JournalEntry.SessionEnded: AppliedEntry {
    static let survivesMemoryMode = false

    func apply(to state: inout FrontState, turn: EntryTurn) { state.sessions.apply(self, turn) }
}

extension JournalEntry.ReplyRetained: AppliedEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int { reply.roughByteCount }

    func apply(to state: inout FrontState, turn: EntryTurn) { state.sessions.apply(self, turn) }
}
