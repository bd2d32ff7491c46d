//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The value of one field of an item; what decides how a list is sorted by it.
public enum FieldValue: Hashable, Sendable {
    /// A truth value; false sorts before true.
    case bool(Bool)
    /// A finite IEEE 754 double; -0 is the same value as 0.
    case number(Double)
    /// An instant with millisecond precision.
    case date(WallTime)
    /// Text as the source gave it; sorted by NFC lower-cased code points.
    case text(String)
}
