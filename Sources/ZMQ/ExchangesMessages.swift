//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A role that sends and receives messages of one frame without naming a peer.
public protocol ExchangesMessages: SocketRole {}
