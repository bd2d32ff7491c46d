//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import Model

/// How a run really ended, as the runner saw it.
package enum WorkEnd: Hashable, Sendable {
    /// With a result, and for a feed's job with what it made.
    case succeeded([UInt8], FeedResult?)
    /// With a failure; id and attempts are filled in by the machine.
    case failed(Failure)
    /// Its task noticed its cancellation.
    case cancelled
}
