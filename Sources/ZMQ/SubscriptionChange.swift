//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A subscription or its end, as a publisher reads it.
public struct SubscriptionChange: Hashable, Sendable {
    /// True for a subscription, false for its end.
    public let isSubscribed: Bool
    /// The prefix of topics that is meant; any peer may send any bytes.
    public let topic: [UInt8]
}
