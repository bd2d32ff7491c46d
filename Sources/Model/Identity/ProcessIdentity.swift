//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// One process of one machine, for good: its number comes again for others, but never with the same beginning within one boot.
public struct ProcessIdentity: Hashable, Sendable {
    /// The machine's boot and the PID namespace that the number counts in.
    public var namespace: String
    /// Its number there, above 0.
    public var number: UInt32
    /// When it began, in the kernel's ticks since the boot.
    public var start: UInt64

    public init(namespace: String, number: UInt32, start: UInt64) {
        self.namespace = namespace
        self.number = number
        self.start = start
    }
}
