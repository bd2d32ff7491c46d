//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Space that is kept free for the moment at which there is none.
package protocol JournalReserve {
    /// Takes the whole space; false: there is no room for it (nothing of it is taken then).
    func make() -> Bool

    /// Gives the space back.
    func release()
}
