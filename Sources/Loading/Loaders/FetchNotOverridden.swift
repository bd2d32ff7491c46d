//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The failure of a ``BaseLoadable`` subclass that overrides neither `fetch()` nor `load()`.
public struct FetchNotOverridden: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the subclass.
    public let typeName: String

    /// Creates the error for a subclass.
    public init(typeName: String) {
        self.typeName = typeName
    }

    /// Names the subclass and what to do.
    public var description: String { "\(typeName) does not override fetch(): override it to say what is loaded" }
}
