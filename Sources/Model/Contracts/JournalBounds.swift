//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What no journal of a front comes to: a row that says more is damaged, though its checksum is right.
public enum JournalBounds {
    /// Greatest number that is counted up or dated, in whichever direction: as JSON can say it, too. At a million jobs a second it takes 285 years
    /// to get there, and milliseconds get there in the year 287,396; so whoever applies an entry may add to such a number without a look.
    public static let number: UInt64 = 1 << 53 - 1
    /// By so much at most an entry names a job above all that entries before it have handed out. A checkpoint's slice may leave out jobs that came
    /// and went since it began: 10,000 a second for more than a day.
    public static let jobStep: UInt64 = 1 << 30
    /// So far apart at most are the oldest job in memory and the next one: at 100,000 jobs a second one that nobody takes is as old after four days.
    /// The table of records takes 1.3 GB for what is between them.
    public static let jobSpan: UInt64 = 1 << 35
    /// At this distance a front that serves accepts no further jobs. A restart may find more, by what came and went while a checkpoint was written.
    public static let servedJobSpan = jobSpan - jobStep
}
