//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The number of an event in this life of the front, from 1 in the order in which the machine hears of them.
///
/// Every action names the event that caused it, so that a line of a log or of a trace can be followed back to what was heard.
public struct EventID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The beginning of this life, which decides too.
    public static let start = Self(0)

    /// The number.
    public let rawValue: UInt64

    /// The event with that number.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    public var description: String { String(rawValue) }

    /// The event that comes next.
    func advanced() -> Self { Self(rawValue &+ 1) }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
