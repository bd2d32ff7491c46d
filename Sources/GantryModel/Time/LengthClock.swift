//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The clock of lengths of time that outlast a front, in milliseconds: a delay goes on while no front runs, and no step of the wall clock
/// moves its end.
///
/// It is the boot clock of the machine, which another boot starts again: then this one goes on from the latest time that an entry has said, so
/// that what was left of a length begins anew, for nobody knows how long the machine was off.
package struct LengthClock: Hashable, Sendable {
    /// The boot that it goes by; empty: unknown, which no other boot is equal to.
    package private(set) var bootID: String
    /// What it shows more than the boot clock.
    package private(set) var offset: Int64
    /// The latest time that an entry has said.
    package private(set) var level: Int64

    /// A clock as it was stored; one of no boot yet shows 0 when it begins.
    package init(bootID: String = "", offset: Int64 = 0, level: Int64 = 0) {
        (self.bootID, self.offset, self.level) = (bootID, offset, level)
    }

    /// An epoch begins in a boot of the machine.
    package mutating func begin(_ epoch: JournalEntry.EpochBegan) {
        if epoch.bootID.isEmpty || epoch.bootID != bootID {
            (bootID, offset) = (epoch.bootID, level.subtractingClamped(epoch.bootMilliseconds))
        }
        note(epoch.bootMilliseconds.addingClamped(offset))
    }

    /// An entry says what it showed.
    package mutating func note(_ time: Int64) { level = max(level, time) }

    /// What it shows; never less than an entry has said.
    package func time(at now: MonotonicTime) -> Int64 {
        max(level, now.duration(since: MonotonicTime(nanoseconds: 0)).wholeMilliseconds.addingClamped(offset))
    }

    /// When it shows a time, by the boot clock, rounded so that it is not early.
    package func instant(of time: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 0).advanced(by: .milliseconds(max(0, time.subtractingClamped(offset))))
    }
}
