//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What becomes of accepted jobs when the front ends; open for words of later versions.
public struct JobDurability: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word itself.
    public let rawValue: String

    /// Wraps a word, also one that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// They survive a power cut and the end of the front.
    public static let full = Self(rawValue: "full")
    /// They survive neither.
    public static let memory = Self(rawValue: "memory")

    public var description: String { rawValue }
}
