//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A mistake that can be planted in the front, so that the simulation proves that it would be noticed.
///
/// Each is read in one line of the code that it spoils. Production never sets one: nothing outside of this package can.
package enum PlantedFault: String, Sendable, CaseIterable {
    /// A turn's frames leave before its row is durable.
    case sendBeforeCommit
    /// A report counts whatever lease it names.
    case leaseNotChecked
    /// Leases are looked at before the workers' socket is read.
    case renewalsReadAfterDeadlines
    /// A cancelled job gives its slot and its key back before its work has ended.
    case slotFreedAtCancel
    /// A repeated request is not answered by the kept reply.
    case replyNotKept
    /// No beats are published.
    case beatLeftOut
}
