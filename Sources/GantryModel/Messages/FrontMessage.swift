//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryPackedColumns

/// What the front says to a client.
package enum FrontMessage: Hashable, Sendable {
    /// The session is open.
    case welcome(Welcome)
    /// The session is unknown or over: open requests that change something have an unknown outcome.
    case sessionEnded
    /// The answer to a request; `feed`: the feed that it was about, with its defaults filled in.
    case reply(number: RequestNumber, Reply, feed: FeedKey? = nil)
    /// How jobs ended that the session submitted.
    case answers(Answers)
    /// A part of a topic's items.
    case snapshot(SnapshotPart)
    /// A topic, by the text that asked for it, has no snapshot; after `retryAfter`, if that is not zero, it is worth asking again.
    case snapshotRefused(asked: String, Failure, retryAfter: Duration)
    /// The frame, a message or a version was not understood.
    case refused(Refused)
    /// The answer to a heartbeat; it may overtake everything else.
    case heartbeat(HeartbeatAnswer)
    /// The session belongs to another connection: say hello with `resumed`, then repeat.
    case resumeFirst
    /// A message of a kind or with a value that this version does not know: it is passed over, the rest of its frame is taken.
    case unknown

    /// The session is open.
    package struct Welcome: Hashable, Sendable {
        /// The protocol version that both use from now on.
        package var version: UInt32
        /// The session.
        package var session: SessionID
        /// Whether the session was taken up again.
        package var isResumed: Bool
        /// How often the client sends a heartbeat.
        package var heartbeat: Duration
        /// How many requests may be unanswered at once.
        package var requestWindow: UInt32
        /// Largest frame that the front takes, in bytes.
        package var largestFrame: UInt32
        /// Where changes are published.
        package var changesEndpoint: String
        /// Where pages are read.
        package var pagesEndpoint: String
        /// `full`: accepted jobs survive a power cut; `memory`: they do not.
        package var durability: JobDurability

        /// A welcome to a session; the rest is filled in by the caller.
        package init(session: SessionID, isResumed: Bool) {
            self.version = ProtocolVersion.current
            self.session = session
            self.isResumed = isResumed
            self.heartbeat = .seconds(1)
            self.requestWindow = UInt32(MessageBounds.requestWindow)
            self.largestFrame = UInt32(MessageBounds.frameByteCount)
            self.changesEndpoint = ""
            self.pagesEndpoint = ""
            self.durability = .full
        }
    }

    /// The front's answer to a heartbeat.
    package struct HeartbeatAnswer: Hashable, Sendable {
        /// What the heartbeat said: which one is answered.
        package var lowestUnanswered: RequestNumber
        /// Whether the disk of the front is full: nothing new is accepted.
        package var isStorageFull: Bool
        /// For how long the oldest decision has waited to be durable; zero: none waits.
        package var undurable: Duration

        /// An answer of a front that waits for nothing.
        package init(lowestUnanswered: RequestNumber, isStorageFull: Bool = false, undurable: Duration = .zero) {
            self.lowestUnanswered = lowestUnanswered
            self.isStorageFull = isStorageFull
            self.undurable = undurable
        }
    }

    /// Outcomes as columns, each job exactly once.
    package struct Answers: Hashable, Sendable {
        /// Job ids.
        package var jobs: [UInt64]
        /// How each ended: always a final state.
        package var states: [JobState]
        /// The result of each; empty where there is none.
        package var results: PackedBytes
        /// Jobs that `outcomes` named and of which the front knows no outcome: they were never accepted, were forgotten after their end, or what
        /// they have made cannot be read.
        package var unknown: [UInt64]

        /// No outcome yet.
        package init() { (jobs, states, results, unknown) = ([], [], PackedBytes(), []) }

        /// The rows but for those, in order; nothing is unknown.
        package func without(_ rows: Set<Int>) -> Self {
            var taken = Self()
            for (index, result) in results.enumerated() where !rows.contains(index) {
                taken.jobs.append(jobs[index])
                taken.states.append(states[index])
                taken.results.append(result)
            }
            return taken
        }
    }

    /// A part of a topic's items, all as of one sequence.
    package struct SnapshotPart: Hashable, Sendable {
        /// The topic: changes are published under it.
        package var topic: Topic
        /// Its text as it was asked for, where it differs from `topic`.
        package var asked: String?
        /// The position of the topic's changes that the items are from.
        package var sequence: SequenceNumber
        /// The checksum of all items of all parts.
        package var checksum: TopicChecksum
        /// Which part, from 0.
        package var part: UInt32
        /// How many parts there are, at least 1.
        package var partCount: UInt32
        /// The items as they were published.
        package var items: [TopicItem]

        /// A part of a snapshot.
        package init(
            topic: Topic, asked: String? = nil, sequence: SequenceNumber, checksum: TopicChecksum, part: UInt32, partCount: UInt32,
            items: [TopicItem]
        ) {
            self.topic = topic
            self.asked = asked
            self.sequence = sequence
            self.checksum = checksum
            self.part = part
            self.partCount = partCount
            self.items = items
        }
    }
}

/// Everything that the front sends to one client in one frame.
package struct FrontEnvelope: Hashable, Sendable {
    /// The front that sends.
    package var front: FrontID
    /// Its epoch.
    package var epoch: Epoch
    /// The session that the messages are for; none where there is none.
    package var session: SessionID
    /// In order.
    package var messages: [FrontMessage]

    /// Joins messages to one session.
    package init(front: FrontID, epoch: Epoch, session: SessionID, messages: [FrontMessage]) {
        self.front = front
        self.epoch = epoch
        self.session = session
        self.messages = messages
    }
}
