//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CPlatform

/// Limits of this process.
public enum ResourceLimits {
    /// Raises the limit of open files as far as the user may.
    /// - Returns: the limit that now holds.
    /// - Throws: the system's error.
    @discardableResult
    public static func raiseOpenFiles() throws(SystemError) -> Int {
        var limit: Int64 = 0
        try checked(unsafe gantry_raise_descriptor_limit(&limit), "raising the limit of open files")
        return Int(limit)
    }

    /// How many connections this process has closed as soon as they came, because they would have taken one of its last descriptors.
    public static var connectionsTurnedAway: UInt64 { gantry_turned_away() }
}
