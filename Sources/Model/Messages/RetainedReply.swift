//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A reply that is kept for a repeat of its request.
public struct RetainedReply: Hashable, Sendable {
    /// The request's number in its session.
    public var number: RequestNumber
    /// What was replied.
    public var reply: Reply
    /// The feed that the request was about, with its defaults filled in; nil: none.
    public var feed: FeedKey?
    /// The fingerprint of what was asked: a repeat with another one is refused.
    public var fingerprint: UInt64

    public init(number: RequestNumber, reply: Reply, feed: FeedKey? = nil, fingerprint: UInt64) {
        self.number = number
        self.reply = reply
        self.feed = feed
        self.fingerprint = fingerprint
    }
}
