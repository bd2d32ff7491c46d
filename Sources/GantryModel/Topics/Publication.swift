//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What the front publishes under a topic.
public enum Publication: Hashable, Sendable {
    /// Items that were put and removed in one turn.
    case change(Change)
    /// Where the topic is, so that a client can know that it is whole.
    case bookmark(Bookmark)

    /// Proof of a topic's state: which life of which front, how many changes, the checksum of all items.
    public struct Bookmark: Hashable, Sendable {
        /// The front.
        public var front: FrontID
        /// Its life.
        public var epoch: Epoch
        /// How many changes there were.
        public var sequence: SequenceNumber
        /// The checksum of all items after them.
        public var checksum: TopicChecksum

        public init(front: FrontID, epoch: Epoch, sequence: SequenceNumber, checksum: TopicChecksum) {
            self.front = front
            self.epoch = epoch
            self.sequence = sequence
            self.checksum = checksum
        }
    }

    /// One numbered change of a topic.
    public struct Change: Hashable, Sendable {
        /// The state after the change.
        public var bookmark: Bookmark
        /// Items that are new or have a new value.
        public var puts: [TopicItem]
        /// Keys of items that are gone.
        public var removes: [[UInt8]]

        public init(bookmark: Bookmark, puts: [TopicItem], removes: [[UInt8]]) {
            self.bookmark = bookmark
            self.puts = puts
            self.removes = removes
        }
    }
}
