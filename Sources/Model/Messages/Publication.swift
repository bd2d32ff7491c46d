//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What the front publishes under a topic.
public enum Publication: Hashable, Sendable {
    /// Items that were put and removed in one turn.
    case change(Change)
    /// Where the topic is, so that a client can know that it is whole.
    case beat(Beat)

    /// Proof of a topic's state: which life of which front, how many changes, the sum of all items.
    public struct Beat: Hashable, Sendable {
        /// The front.
        public var front: FrontID
        /// Its life.
        public var epoch: Epoch
        /// How many changes there were.
        public var sequence: Sequence
        /// The sum of all items after them.
        public var digest: TopicDigest

        public init(front: FrontID, epoch: Epoch, sequence: Sequence, digest: TopicDigest) {
            self.front = front
            self.epoch = epoch
            self.sequence = sequence
            self.digest = digest
        }
    }

    /// One numbered change of a topic.
    public struct Change: Hashable, Sendable {
        /// The state after the change.
        public var beat: Beat
        /// Items that are new or have a new value.
        public var puts: [TopicItem]
        /// Keys of items that are gone.
        public var removes: [[UInt8]]

        public init(beat: Beat, puts: [TopicItem], removes: [[UInt8]]) {
            self.beat = beat
            self.puts = puts
            self.removes = removes
        }
    }
}
