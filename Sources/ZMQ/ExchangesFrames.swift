//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A role that may send and receive whole multi-frame messages, for foreign protocols such as ZAP (RFC 27).
public protocol ExchangesFrames: SocketRole {}
