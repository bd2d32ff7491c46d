//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Whether the front of a client answers.
public enum FrontAvailability: String, Hashable, Sendable {
    /// Its heartbeats are answered.
    case answering
    /// It answers, but for over three seconds its disk has been full or has not finished writing: nothing new is accepted, and what was
    /// decided last is not shown yet.
    case waitingForDisk
    /// Three heartbeats in a row were not answered: it is gone, or stands still, or nothing reaches it. What is shown may be old.
    case lost

    /// One sentence for people.
    public var line: String {
        switch self {
        case .answering: "the front answers"
        case .waitingForDisk: "the front waits for its disk: nothing new is accepted until it has room and is written"
        case .lost: "the front does not answer: what is shown may be old"
        }
    }
}
