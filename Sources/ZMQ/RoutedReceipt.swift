//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What one look at a router's queue brought.
public enum RoutedReceipt: Hashable, Sendable {
    /// Nothing is waiting.
    case nothing
    /// The buffer holds a body from this connection.
    case message(from: RoutingID)
    /// A message with more than one body frame or with a routing id above 16 bytes (then nil) was dropped whole.
    case malformed(from: RoutingID?)
}
