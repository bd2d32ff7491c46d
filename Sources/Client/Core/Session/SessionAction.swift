//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// What a session's machine wants done.
public enum SessionAction: Hashable, Sendable {
    /// Tell the user.
    case notify(ClientNotice)
    /// Close the requests socket and connect a new one.
    case reconnect
    /// The session is open, for the first time or again after silence: topics without proof ask now.
    case opened(FrontMessage.Welcome, FrontID, Epoch)
    /// The front answers, waits for its disk, or is lost.
    case availability(FrontAvailability)
    /// A part of a topic came in.
    case snapshot(FrontMessage.SnapshotPart, FrontID, Epoch)
    /// A topic, by the text that asked for it, will never have a snapshot.
    case topicFailed(asked: String, ClientError)
}
