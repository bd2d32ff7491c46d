//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// After which time it is worth asking again what was refused at a bound. Sooner would only be refused again, and each repeat costs the
/// front as much as a first time.
enum RetryPause {
    /// Where a client only has to read or confirm what is on its way to it.
    static let short: Duration = .milliseconds(100)
    /// Where others have to finish: jobs, sessions, feeds, or people who make room on a disk.
    static let usual: Duration = .seconds(1)
    /// Where observers have to leave.
    static let long: Duration = .seconds(5)
}
