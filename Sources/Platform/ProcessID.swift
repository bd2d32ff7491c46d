//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A process by its number, which the system uses again after the process was reaped.
public struct ProcessID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number, above 0.
    public let rawValue: Int32

    /// Wraps a number.
    /// - Returns: nil for 0 and below, which mean groups to the system.
    public init?(rawValue: Int32) {
        guard rawValue > 0 else { return nil }
        self.rawValue = rawValue
    }

    /// The number in decimal.
    public var description: String { String(rawValue) }
}
