//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The secret that one life of a front makes its session numbers of.
public struct SessionKey: Sendable {
    private let hash: SipHash

    /// A key of 128 random bits, new for each life.
    public init(_ first: UInt64, _ second: UInt64) { hash = SipHash(key: first, second) }

    /// The number of the session that is opened as the `count`th: who knows any of them cannot compute another one.
    public func number(ofSession count: UInt64) -> SessionID { SessionID(hash.hash(count)) }
}
