//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How many jobs of one loader there are.
public struct LoaderCount: Hashable, Sendable {
    /// The loader.
    public var loader: String
    /// How many jobs.
    public var count: UInt64

    public init(_ loader: String, _ count: UInt64) { (self.loader, self.count) = (loader, count) }
}
