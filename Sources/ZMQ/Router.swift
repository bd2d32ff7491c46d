//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ

/// ROUTER with `ZMQ_ROUTER_MANDATORY`: a full or unknown peer is told instead of losing the message in silence.
public enum Router: RoutesMessages {
    /// `ZMQ_ROUTER`.
    public static let kind = ZMQ_ROUTER
    /// "router".
    public static let name = "router"
    /// A look for a message takes the identity before it.
    public static let readsAhead = true
    /// Mandatory routing.
    public static var fixedOptions: [SocketOption<Bool>] { [.routerMandatory] }
}
