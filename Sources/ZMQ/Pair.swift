//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ

/// PAIR: exactly two sockets, used inside one process over inproc.
public enum Pair: ExchangesMessages, ExchangesFrames {
    /// `ZMQ_PAIR`.
    public static let kind = ZMQ_PAIR
    /// "pair".
    public static let name = "pair"
}
