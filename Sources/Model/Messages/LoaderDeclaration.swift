//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a worker says of a loader that it offers.
public struct LoaderDeclaration: Hashable, Sendable {
    /// The loader's name, by the rule of feed names.
    public var name: String
    /// Whether its jobs take far less than a millisecond: they are then taken ahead, beside the slots, and not listed one by one.
    public var isBulk: Bool
    /// Whether its jobs may run a second time.
    public var repeatable: Repeatable

    /// Declares a loader.
    public init(name: String, isBulk: Bool = false, repeatable: Repeatable = .yes) {
        self.name = name
        self.isBulk = isBulk
        self.repeatable = repeatable
    }
}
