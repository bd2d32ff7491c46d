//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Why something that was said to the front changes nothing: it came too late, twice, or from somebody whose word it is not. Each is counted.
package enum FrontLateness: String, Sendable, CaseIterable {
    /// The session has ended, or never was.
    case sessionEnded
    /// Another connection speaks for the session, or none does.
    case notResumed
}
