//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import Model

/// Why a write failed.
package enum JournalFault: Error, Hashable, Sendable {
    /// There is no room, on the disk or in this user's share of it; the same bytes may be tried again.
    case full
    /// Nobody knows whether the call took effect; it may be made again, with the same bytes.
    case inDoubt
    /// Anything else; nothing may be written any more.
    case failed(ErrorCause)
}
