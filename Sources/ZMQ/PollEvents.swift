//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ

/// What a poller waits for or has found.
public struct PollEvents: OptionSet, Hashable, Sendable {
    /// libzmq's bits.
    public let rawValue: Int16

    /// Wraps libzmq's bits.
    public init(rawValue: Int16) {
        self.rawValue = rawValue
    }

    /// A receive would bring something.
    public static let readable = PollEvents(rawValue: Int16(ZMQ_POLLIN))
    /// A send to somebody would succeed; says nothing about one peer of a router.
    public static let writable = PollEvents(rawValue: Int16(ZMQ_POLLOUT))
    /// A descriptor has an error or its other end is closed.
    public static let failed = PollEvents(rawValue: Int16(ZMQ_POLLERR))
}
