//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Fact.SessionOpened: JournalEntry {
    static let survivesMemoryMode = false

    func apply(to state: inout FrontState, turn: EntryTurn) { state.sessions.apply(self, turn) }
}

extension Fact.SessionEnded: JournalEntry {
    static let survivesMemoryMode = false

    func apply(to state: inout FrontState, turn: EntryTurn) { state.sessions.apply(self, turn) }
}

extension Fact.ReplyKept: JournalEntry {
    static let survivesMemoryMode = false

    var roughByteCount: Int { reply.roughByteCount }

    func apply(to state: inout FrontState, turn: EntryTurn) { state.sessions.apply(self, turn) }
}
