//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A message that a `Router` received, with the connection it came from.
public struct RoutedMessage: ~Copyable {
    /// Where an answer goes.
    public let routingID: RoutingID
    /// The one body frame.
    public let body: Message
}
