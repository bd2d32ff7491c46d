//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What the front publishes under a topic.
package enum Publication: Hashable, Sendable {
    /// Items that were put and removed in one turn.
    case change(Change)
    /// Where the topic is, so that a client can know that it is whole.
    case bookmark(Bookmark)

    /// Proof of a topic's state: which epoch of which front, how many changes, the checksum of all items.
    package struct Bookmark: Hashable, Sendable {
        /// The front.
        package var front: FrontID
        /// Its epoch.
        package var epoch: Epoch
        /// How many changes there were.
        package var sequence: SequenceNumber
        /// The checksum of all items after them.
        package var checksum: TopicChecksum

        package init(front: FrontID, epoch: Epoch, sequence: SequenceNumber, checksum: TopicChecksum) {
            self.front = front
            self.epoch = epoch
            self.sequence = sequence
            self.checksum = checksum
        }
    }

    /// One numbered change of a topic.
    package struct Change: Hashable, Sendable {
        /// The state after the change.
        package var bookmark: Bookmark
        /// Items that are new or have a new value.
        package var puts: [TopicItem]
        /// Keys of removed items.
        package var removes: [[UInt8]]

        package init(bookmark: Bookmark, puts: [TopicItem], removes: [[UInt8]]) {
            self.bookmark = bookmark
            self.puts = puts
            self.removes = removes
        }
    }
}
