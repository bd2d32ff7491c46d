//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What became of an insert that met no error.
package enum JournalInsertion: Hashable, Sendable {
    case written
    /// The very same row was there already; nothing was written.
    case alreadyThere
    /// A higher epoch is recorded; nothing was written.
    case fenced
}
