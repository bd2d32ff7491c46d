//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Tells the second Ctrl-C of a person, who does not want to wait for the end, from a signal that came twice at once: `timeout` sends its
/// signal to the process and to the process's group.
struct RepeatedInterrupt {
    /// Signals closer together than this are one.
    static let pauseNanoseconds: Int64 = 200_000_000

    private var first: Int64?

    /// Notes a signal at an instant of the monotonic clock, in nanoseconds; true: the user has asked for the end before.
    mutating func isRepeated(at now: Int64) -> Bool {
        guard let first else {
            self.first = now
            return false
        }
        return now - first >= Self.pauseNanoseconds
    }
}
