//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ

/// REP: answers one multi-frame request after the other; the role of a ZAP handler.
public enum Replier: ExchangesFrames {
    /// `ZMQ_REP`.
    public static let kind = ZMQ_REP
    /// "replier".
    public static let name = "replier"
    /// It is a router within.
    public static let readsAhead = true
}
