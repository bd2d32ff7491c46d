//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A kind of journal entry: what the journal has to know of it stands with its type. What it changes stands with the machine of the front that its
/// line in `Protocol/journal.proto` names.
package protocol EntryKind: Hashable, Sendable {
    /// Whether a front with `durability: memory` writes it too: such a front forgets jobs, sessions and replies when it ends.
    static var survivesMemoryMode: Bool { get }

    /// Bytes that it will have in the journal, roughly: what the bound of a turn is measured by.
    var roughByteCount: Int { get }
}

extension EntryKind {
    /// One that holds a name or two.
    package var roughByteCount: Int { RoughSize.wide }
}

/// What the journal has to know of an entry, whichever it is.
package struct EntryTraits: Equatable {
    /// Whether a front with `durability: memory` writes it too.
    package let survivesMemoryMode: Bool
    /// Bytes that it will have, roughly.
    package let roughByteCount: Int

    /// Asks an entry.
    init<Entry: EntryKind>(of entry: Entry) {
        survivesMemoryMode = Entry.survivesMemoryMode
        roughByteCount = entry.roughByteCount
    }
}
