//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Where content came from; open, since each loader may give a word of its own.
public struct ContentSource: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word itself.
    public let rawValue: String

    /// Wraps a word, also one that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An origin.
    public static let network = Self(rawValue: "network")
    /// What the cache had already.
    public static let cache = Self(rawValue: "cache")
    /// A person made it.
    public static let manual = Self(rawValue: "manual")

    public var description: String { rawValue }
}
