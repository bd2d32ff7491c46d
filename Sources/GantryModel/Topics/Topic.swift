//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What can be observed. The frame of a topic is its text and a byte 0x00, so that no topic is the beginning of another.
public enum Topic: Hashable, Sendable, CustomStringConvertible {
    /// One feed's shared state.
    case feed(FeedKey)
    /// One view of a feed.
    case view(FeedKey, String)
    /// One job.
    case job(JobID)
    /// One of those that each front has, whatever it works on.
    case ofFront(FrontTopic)

    /// Counts of jobs and a bounded window of live ones.
    public static var jobs: Topic { .ofFront(.jobs) }
    /// The workers.
    package static var workers: Topic { .ofFront(.workers) }
    /// The front itself.
    package static var front: Topic { .ofFront(.front) }
    /// What it has stored.
    package static var storage: Topic { .ofFront(.storage) }
    /// The limits.
    package static var limits: Topic { .ofFront(.limits) }
    /// The pauses.
    package static var pauses: Topic { .ofFront(.pauses) }
    /// Who is connected.
    package static var clients: Topic { .ofFront(.clients) }

    /// The topic as text, for example `feed/products?category=electronics` or `job/42`.
    public var description: String {
        switch self {
        case .feed(let key): "feed/" + key.text
        case .view(let key, let name): "view/" + key.text + "/" + name
        case .job(let id): "job/" + id.description
        case .ofFront(let topic): topic.rawValue
        }
    }

    /// Whether it is one of those that each front has.
    package var isOfFront: Bool { if case .ofFront = self { true } else { false } }

    /// The topic's frame: its text and a byte 0x00.
    package var frame: [UInt8] { Array(description.utf8) + [0] }

    /// Reads a topic's text; nil if it names none.
    package init?(_ text: String) {
        if let topic = FrontTopic(rawValue: text) {
            self = .ofFront(topic)
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "job":
            guard let number = UInt64(parts[1]), String(number) == parts[1] else { return nil }
            self = .job(JobID(number))
        case "feed":
            guard let key = FeedKey(text: String(parts[1])) else { return nil }
            self = .feed(key)
        case "view":
            guard let slash = parts[1].lastIndex(of: "/"), let key = FeedKey(text: String(parts[1][..<slash])) else { return nil }
            let name = String(parts[1][parts[1].index(after: slash)...])
            guard PlainName.isName(name) else { return nil }
            self = .view(key, name)
        default: return nil
        }
    }

    /// Reads a topic's frame; nil if it names none.
    package init?(frame: [UInt8]) {
        guard frame.last == 0, let text = String(validating: frame.dropLast(), as: UTF8.self) else { return nil }
        self.init(text)
    }
}

/// A topic that each front has, whatever it works on: its text is the word, and they are few. One with a single item gives it that word as its key.
public enum FrontTopic: String, Hashable, Sendable, CaseIterable {
    /// See `Topic`.
    case jobs, workers, front, storage, limits, pauses, clients

    /// The words of all, for people.
    package static let shown = allCases.map(\.rawValue).joined(separator: ", ")
}

/// The keys of topics' items. A topic that has one item only gives it the topic's own name.
package enum ItemKey {
    /// The state of a feed.
    package static let feed = "feed"
    /// The state of a view.
    package static let view = "view"
    /// A job, in its own topic.
    package static let job = "job"
    /// How far the job is that works for a feed, or that the topic is of.
    package static let progress = "progress"
    /// How many jobs there are, by state.
    package static let counts = "counts"

    /// The only item of a topic that has no other.
    package static func only(of topic: Topic) -> String { topic.description }

    /// One of the live jobs that are shown among all.
    package static func job(_ id: UInt64) -> String { "\(jobs)\(id)" }

    /// The job that a key is of; nil: it is of none.
    package static func job(_ key: String) -> UInt64? { key.hasPrefix(jobs) ? UInt64(key.dropFirst(jobs.count)) : nil }

    private static let jobs = "job/"

    /// One of the workers.
    package static func worker(_ id: WorkerID) -> String { "\(workers)\(id)" }

    /// The worker that a key is of; nil: it is of none.
    package static func worker(_ key: String) -> WorkerID? {
        key.hasPrefix(workers) ? UInt64(key.dropFirst(workers.count)).map { WorkerID($0) } : nil
    }

    private static let workers = "worker/"

    /// One of the limits.
    package static func limit(named name: String) -> String { limits + name }

    /// The name of the limit that a key is of; nil: it is of none.
    package static func limit(_ key: String) -> String? { key.hasPrefix(limits) ? String(key.dropFirst(limits.count)) : nil }

    private static let limits = "limit/"

    /// The pause of a target.
    package static func pause(of target: PauseTarget) -> String { pauses + target.key }

    /// The target of the pause that a key is of; nil: it is of none.
    package static func pause(_ key: String) -> PauseTarget? {
        key.hasPrefix(pauses) ? PauseTarget(key: String(key.dropFirst(pauses.count))) : nil
    }

    private static let pauses = "pause/"
}

/// What an item of a topic says.
package enum ItemValue: Hashable, Sendable {
    /// Key `feed` of a feed's topic.
    case feed(FeedState)
    /// Key `view` of a view's topic.
    case view(ViewState)
    /// Key `job` of a job's topic, key `job/<id>` of `jobs`.
    case job(JobSummary)
    /// Key `progress`: removed by the change that carries the outcome.
    case progress(JobID, JobProgress)
    /// Key `counts` of `jobs`.
    case counts(JobCounts)
    /// Key `worker/<id>` of `workers`.
    case worker(WorkerSummary)
    /// Key `front` of `front`.
    case front(FrontSummary)
    /// Key `storage` of `storage`.
    case storage(StorageSummary)
    /// Key `limit/<name>` of `limits`.
    case limit(LimitSummary)
    /// Key `pause/<loader>` of `pauses`.
    case pause(Pause)
    /// Key `clients` of `clients`.
    case clients(ClientsSummary)
}

/// One item of a topic: bytes as sent. Replicas keep these very bytes and never need to understand them.
package struct TopicItem: Hashable, Sendable {
    /// The item's key, unique in its topic.
    package var key: [UInt8]
    /// Its encoded value.
    package var value: [UInt8]

    /// Joins key and value.
    package init(key: [UInt8], value: [UInt8]) {
        self.key = key
        self.value = value
    }
}

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
        /// The topic's position: it starts anywhere, and grows by one with each change.
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
