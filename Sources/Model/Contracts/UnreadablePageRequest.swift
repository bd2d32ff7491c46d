//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A request for a page that breaks a rule of the protocol.
public struct UnreadablePageRequest: Error, Hashable, Sendable {
    /// The number that its answer carries; 0: it has none, or none could be read.
    public var number: UInt64
    /// What is wrong with it.
    public var error: CodecError

    public init(number: UInt64 = 0, _ error: CodecError) {
        self.number = number
        self.error = error
    }
}
