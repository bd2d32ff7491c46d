//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Space that is kept free for the moment at which there is none.
package protocol JournalReserve {
    /// Takes the whole space; false: there is no room for it, and a little is taken at most.
    func make() -> Bool

    /// Gives the space back, be it the whole or a little.
    func release()
}
