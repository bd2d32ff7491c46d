//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The priorities that are spoken of by name; any number from 0 to `highest` is one.
public enum JobPriority {
    /// The most urgent one; the least urgent one is 0.
    public static let highest: UInt8 = 9
    /// That of a job for which none is asked.
    public static let usual: UInt8 = 5
    /// That of what a person looks at a view for: it goes before the usual, and leaves room for what is more urgent still.
    public static let ofViews: UInt8 = 7
}
