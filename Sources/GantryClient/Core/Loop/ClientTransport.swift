//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// What a client's loop needs of sockets. Nothing here blocks but `wait`, and nothing fails: what is lost is repeated by the machines.
package protocol ClientTransport {
    /// Waits until something can be received, the user has something to say, the time is over or, when `wantsToSend` says so, a channel
    /// whose last `send` found no room has room. May return early; a simulated one returns at once.
    mutating func wait(until deadline: MonotonicTime, wantsToSend: Bool)
    /// The next frame from the front on `requests` or `pages`; nil when nothing waits.
    mutating func receive(from channel: ClientChannel) -> [UInt8]?
    /// The next publication; nil when nothing waits.
    mutating func receivePublication() -> TopicFrames?
    /// Hands a frame over on `requests` or `pages`; false when there is no room, and it is then offered again. True promises nothing.
    mutating func send(_ frame: [UInt8], to channel: ClientChannel) -> Bool
    /// Subscribes to exactly that topic frame, also on later sockets of the channel.
    mutating func subscribe(to topicFrame: [UInt8])
    /// Takes the subscription back.
    mutating func unsubscribe(from topicFrame: [UInt8])
    /// Connects `changes` or `pages` to the endpoint that the front named; does nothing when it is connected there already.
    mutating func connect(_ channel: ClientChannel, to endpoint: String)
    /// Closes the channel's socket with all that waits in it and connects a new one to the same endpoint, with the same subscriptions.
    mutating func reconnect(_ channel: ClientChannel)
}

/// The three ways between a client and its front.
package enum ClientChannel: UInt8, Hashable, Sendable, CaseIterable {
    /// Requests and answers of the session.
    case requests = 0
    /// Publications, one way only.
    case changes = 1
    /// Pages of lists.
    case pages = 2
}

/// A publication as it travels: the topic's frame and the payload.
package struct TopicFrames: Hashable, Sendable {
    /// The topic's text and a byte 0x00.
    package var topic: [UInt8]
    /// The encoded publication.
    package var payload: [UInt8]

    /// Joins the two frames.
    package init(topic: [UInt8], payload: [UInt8]) {
        self.topic = topic
        self.payload = payload
    }
}

/// The clock of a client's loop.
package protocol ClientClock {
    /// The time now; never goes back.
    func now() -> MonotonicTime
}
