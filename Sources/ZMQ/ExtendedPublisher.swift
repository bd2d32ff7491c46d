//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ

/// XPUB with `ZMQ_XPUB_VERBOSE`: publishes to many and reads every subscription, repeated ones too.
///
/// It drops for a subscriber whose queue is full and never waits for one.
public enum ExtendedPublisher: PublishesTopics {
    /// `ZMQ_XPUB`.
    public static let kind = ZMQ_XPUB
    /// "publisher".
    public static let name = "publisher"
    /// Every subscription is delivered, not only the first of a topic.
    public static var fixedOptions: [SocketOption<Bool>] { [.publisherVerbose] }
}
