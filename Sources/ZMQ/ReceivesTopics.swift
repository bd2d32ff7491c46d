//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A role that subscribes to topics and receives `[topic][payload]`; it cannot send.
public protocol ReceivesTopics: SocketRole {}
