//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Whether the front finds room for what it must keep; open for words of later versions.
public struct StorageState: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word itself.
    public let rawValue: String

    /// Wraps a word, also one that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It does.
    public static let ok = Self(rawValue: "ok")
    /// The disk is full: nothing new is accepted, and nothing accepted is lost.
    public static let full = Self(rawValue: "full")

    public var description: String { rawValue }
}
