//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How many jobs failed in one way.
public struct FailureCount: Hashable, Sendable {
    /// The kind of failure; `other` for the sum of the rarest where there are too many kinds.
    public var code: FailureCode
    /// How many jobs.
    public var count: UInt64

    public init(_ code: FailureCode, _ count: UInt64) { (self.code, self.count) = (code, count) }
}
