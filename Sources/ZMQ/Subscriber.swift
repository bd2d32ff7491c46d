//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ

/// SUB: receives the publications whose topic begins with something it subscribed to.
public enum Subscriber: ReceivesTopics {
    /// `ZMQ_SUB`.
    public static let kind = ZMQ_SUB
    /// "subscriber".
    public static let name = "subscriber"
    /// A look for a publication takes its topic.
    public static let readsAhead = true
}
