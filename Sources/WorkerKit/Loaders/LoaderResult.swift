//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// What a job came to.
public struct LoaderResult: Hashable, Sendable {
    /// Opaque bytes for who asked, at most 65,536; more makes the job fail as `tooLarge`.
    public var bytes: [UInt8]
    /// For a feed's job: the objects that were made.
    public var feed: FeedResult?

    /// A result of bytes, or of objects of a feed.
    public init(bytes: [UInt8] = [], feed: FeedResult? = nil) {
        self.bytes = bytes
        self.feed = feed
    }

    /// A result that is a text, in UTF-8.
    public init(text: String) {
        self.init(bytes: Array(text.utf8))
    }
}
