//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What the journal has to know of an entry, whichever it is.
struct EntryTraits: Equatable {
    /// Whether a front with `durability: memory` writes it too.
    let survivesMemoryMode: Bool
    /// Bytes that it will have, roughly.
    let roughByteCount: Int

    /// Asks an entry.
    init<Entry: AppliedEntry>(of entry: Entry) {
        survivesMemoryMode = Entry.survivesMemoryMode
        roughByteCount = entry.roughByteCount
    }
}
