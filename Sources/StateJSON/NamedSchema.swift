//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A schema that has a name.
public protocol NamedSchema: Sendable {
    /// The name of its file without the ending.
    var name: String { get }
    /// The text of its file.
    var schema: String { get }
}
