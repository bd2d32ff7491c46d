//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ

/// DEALER: one numbered conversation with a `Router`.
public enum Dealer: ExchangesMessages, ExchangesFrames {
    /// `ZMQ_DEALER`.
    public static let kind = ZMQ_DEALER
    /// "dealer".
    public static let name = "dealer"
}
