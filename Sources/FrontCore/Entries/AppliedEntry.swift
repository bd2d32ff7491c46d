//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What a journal entry knows of itself. All that belongs to one kind of entry stands with its type; `JournalEntry` only lists them.
protocol AppliedEntry: Hashable, Sendable {
    /// Whether a front with `durability: memory` writes it too: such a front forgets jobs, sessions and replies with its life.
    static var survivesMemoryMode: Bool { get }

    /// Bytes that it will have in the journal, roughly: what the bound of a turn is measured by.
    var roughByteCount: Int { get }

    /// What of it cannot be true, though it can be read, and would end the front or fill its memory if it were applied; nil: nothing. Asked at a
    /// restart alone: what is decided while serving goes on from the state.
    func fault(in state: FrontState) -> String?

    /// Changes the state. Total: an entry about something that is not there changes nothing.
    func apply(to state: inout FrontState, turn: EntryTurn)
}

extension AppliedEntry {
    /// One that holds a name or two.
    var roughByteCount: Int { RoughSize.wide }

    /// One that hands out no ids of jobs.
    func fault(in state: FrontState) -> String? { nil }
}
