//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Where ended jobs are once they have left the state: neither a checkpoint writes them, nor a restart reads them.
///
/// They come in bundles, each written once, by the turn that made it: `JournalRow.bundles`, in the commit of that turn's entries, so that no job is
/// in both places or in none. What the state goes on knowing of a bundle (`JournalEntry.EndedBundled`: ids and final states) answers by id and by
/// page which bundle is to be read. Nobody who decides waits for a reading: it is asked for, and is an event of a later turn.
public protocol EndedJobStore: AnyObject {
    /// Asks for a bundle that a durable row has made, and returns at once; `JournalEvent.bundle` follows. A few may be asked for at a time;
    /// rows go before them.
    func read(_ bundle: BundleNumber)
}
