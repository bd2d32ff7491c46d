//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How long things about jobs may take that somebody chooses.
///
/// One bound for all of them, so that nobody has to look up which is which: a month is more than any work between two looks of a person at it, and
/// in milliseconds it is a number of 32 bits. Only what is meant to wait for a date, or for somebody, may take a year: `JobStart`, `PauseTarget`.
package enum JobTime {
    /// The longest time of attempts, of a job in all, of a snooze, of a key that stays taken, and of the period of a rate.
    package static let longest = Duration.seconds(30 * 86_400)
    /// The same for people.
    package static let longestText = "30 days"
}
