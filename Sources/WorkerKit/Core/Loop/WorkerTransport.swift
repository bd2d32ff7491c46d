//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import Model

/// The worker's connection to the front: whole frames, lost or late as networks do, never blocking but in `wait`.
///
/// Every function may throw: the loop then ends as if the process had died there.
package protocol WorkerTransport {
    /// Waits until a frame can be received, a report of running work waits, what is unsent could be sent, or `deadline` has come.
    mutating func wait(until deadline: MonotonicTime, toSend: Bool) throws
    /// The next frame that has arrived, or nil.
    mutating func receive() throws -> [UInt8]?
    /// Hands a frame over; false if it does not take one now.
    mutating func send(_ frame: [UInt8]) throws -> Bool
    /// Forgets the connection with all that is on its way and makes another.
    mutating func reconnect() throws
}
