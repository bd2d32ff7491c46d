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
    /// So far apart at most are the oldest job in memory and the next one: a year at a thousand a second. The table of records takes 40 MiB for each
    /// billion between them.
    public static let jobSpan: UInt64 = 1 << 35
}
