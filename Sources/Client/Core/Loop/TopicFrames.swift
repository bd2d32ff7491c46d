//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A publication as it travels: the topic's frame and the payload.
public struct TopicFrames: Hashable, Sendable {
    /// The topic's text and a byte 0x00.
    public var topic: [UInt8]
    /// The encoded publication.
    public var payload: [UInt8]

    /// Joins the two frames.
    public init(topic: [UInt8], payload: [UInt8]) {
        self.topic = topic
        self.payload = payload
    }
}
