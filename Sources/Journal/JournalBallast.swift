//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Space that is kept free for the moment at which there is none.
package protocol JournalBallast {
    /// Takes the whole space; false: there is no room for it, and a little is taken at most.
    /// - Throws: `unusable` when something else than room keeps it from being taken.
    func make() throws(JournalError) -> Bool

    /// Gives the space back, be it the whole or a little.
    func release()
}
