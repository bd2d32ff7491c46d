//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A 64-bit identifier that cannot be mixed up with one of another kind.
///
/// `Kind` is a phantom: it exists only at compile time. On the wire every identifier is a fixed64.
@frozen
public struct Identifier<Kind>: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The bare number as it travels on the wire.
    public let rawValue: UInt64

    /// Wraps a bare number.
    @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Wraps a bare number.
    @inlinable public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// Equality of the bare numbers.
    @inlinable public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

    /// Order of the bare numbers: for jobs the order of acceptance, for sequences the order of changes.
    @inlinable public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Feeds the bare number to the hasher.
    @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// The number `distance` further on; wraps at 2^64, which no counter here reaches.
    @inlinable public func advanced(by distance: UInt64 = 1) -> Self { Self(rawValue &+ distance) }

    /// No identifier: zero is never handed out.
    @inlinable public static var none: Self { Self(0) }

    /// The number in decimal, as the terminal and JSON show it.
    public var description: String { String(rawValue) }
}
