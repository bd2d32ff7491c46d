//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import Model

/// The worker's clock and the kernel timer that ends the process; both count while the machine sleeps.
package protocol WorkerClock {
    /// Reads the clock.
    mutating func now() throws -> MonotonicTime
    /// From now on the process ends at that instant, whatever it does; replaces an earlier one.
    mutating func armKillTimer(at instant: MonotonicTime) throws
    /// The process is left alone again.
    mutating func disarmKillTimer() throws
}
