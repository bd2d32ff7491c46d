//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// What a replica wants done.
public enum ReplicaAction: Hashable, Sendable {
    /// Subscribe to that topic's frame.
    case subscribe(Topic)
    /// Take that subscription back.
    case unsubscribe(Topic)
    /// Close the changes socket and connect a new one: nothing comes by it.
    case renewSubscription
    /// Send to the front by the session; dropped while no session is open, because the topic is then asked for at its opening.
    case send(ClientMessage)
    /// Tell the user.
    case emit(ReplicaUpdate)
}
