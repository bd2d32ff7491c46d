//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A role that publishes `[topic][payload]` and receives subscriptions, nothing else.
public protocol PublishesTopics: SocketRole {}
