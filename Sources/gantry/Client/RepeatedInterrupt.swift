//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Tells the second Ctrl-C of a person, who does not want to wait for the end, from a signal that came twice at once: `timeout` sends its
/// signal to the process and to the process's group.
struct RepeatedInterrupt {
    /// Signals closer together than this are one.
    static let pause = Duration.milliseconds(200)

    private var first: MonotonicTime?

    /// Notes a signal at an instant of the monotonic clock; true: the user has asked for the end before.
    mutating func isRepeated(at now: MonotonicTime) -> Bool {
        guard let first else {
            self.first = now
            return false
        }
        return now.duration(since: first) >= Self.pause
    }
}
