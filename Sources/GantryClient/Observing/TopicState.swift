//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import GantryModel

/// A whole observed topic after one event. States that show the same may differ: compare what you show.
public struct TopicState: Hashable, Sendable {
    /// The topic as it was asked for.
    public let topic: Topic
    /// The topic under which the front publishes it, known from the first snapshot on: that of a feed has the defaults of its parameters.
    package internal(set) var resolved: Topic
    /// What happened last.
    package internal(set) var event = ReplicaEvent.gap
    /// The front that published it; none before the first snapshot.
    package internal(set) var front = FrontID.none
    /// Its epoch.
    package internal(set) var epoch = Epoch.none
    /// The topic's position: it starts anywhere in an epoch, and grows by one with each change.
    package internal(set) var sequence = SequenceNumber.none
    /// The checksum over the replica's own bytes.
    package internal(set) var checksum = TopicChecksum()
    /// Whether a bookmark or change with the same checksum was seen at this very position.
    public internal(set) var isVerified = false
    /// Whether a snapshot was ever taken over; before it there is nothing to show.
    public internal(set) var isLoaded = false
    /// How many checksums differed in a row.
    package internal(set) var differences = 0
    /// Why the client keeps no replica of the topic; nil: it does. No state follows one that says so.
    public internal(set) var failure: ClientError?
    /// The items by key, as far as this version can read them.
    package internal(set) var items: [String: ItemValue] = [:]

    /// A topic of which nothing is known.
    init(topic: Topic) { (self.topic, resolved) = (topic, topic) }

    /// The key of the feed that the topic is about, as `resolved` has it; nil: it is about none.
    package var feedKey: FeedKey? {
        switch resolved {
        case .feed(let key), .view(let key, _): key
        case .job, .ofFront: nil
        }
    }

    /// The feed, on a feed's topic.
    public var feed: FeedState? { if case .feed(let feed) = items[ItemKey.feed] { feed } else { nil } }

    /// The view, on a view's topic.
    public var view: ViewState? { if case .view(let view) = items[ItemKey.view] { view } else { nil } }

    /// The job, on a job's topic.
    public var job: JobSummary? { if case .job(let job) = items[ItemKey.job] { job } else { nil } }

    /// The running job's progress, on a feed's or job's topic.
    public var progress: JobProgress? { if case .progress(_, let progress) = items[ItemKey.progress] { progress } else { nil } }

    /// The counts of jobs, on the topic `jobs`.
    public var counts: JobCounts? { if case .counts(let counts) = items[ItemKey.counts] { counts } else { nil } }

    /// The live jobs in order of acceptance, on the topic `jobs`.
    public var jobs: [JobSummary] {
        items.values.compactMap { if case .job(let job) = $0 { job } else { nil } }.sorted { $0.id < $1.id }
    }

    /// The workers by name, on the topic `workers`.
    package var workers: [WorkerSummary] {
        items.values.compactMap { if case .worker(let worker) = $0 { worker } else { nil } }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    /// The limits by name, on the topic `limits`.
    package var limits: [LimitSummary] {
        items.values.compactMap { if case .limit(let limit) = $0 { limit } else { nil } }.sorted { $0.name < $1.name }
    }

    /// The pauses by loader, that of all loaders first and those of workers by name, on the topic `pauses`.
    package var pauses: [Pause] {
        items.values.compactMap { if case .pause(let pause) = $0 { pause } else { nil } }.sorted { $0.target.key < $1.target.key }
    }

    /// The front itself, on the topic `front`.
    package var frontSummary: FrontSummary? { if case .front(let front) = items[ItemKey.only(of: .front)] { front } else { nil } }

    /// What the front has stored, on the topic `storage`.
    package var storage: StorageSummary? { if case .storage(let summary) = items[ItemKey.only(of: .storage)] { summary } else { nil } }

    /// Who is connected, on the topic `clients`.
    package var clients: ClientsSummary? { if case .clients(let clients) = items[ItemKey.only(of: .clients)] { clients } else { nil } }

    /// Takes an event's difference over.
    mutating func apply(_ update: TopicUpdate) {
        (event, isVerified, resolved) = (update.event, update.isVerified, update.resolved)
        (front, epoch) = (update.position.front, update.position.epoch)
        (sequence, checksum) = (update.position.sequence, update.position.checksum)
        if update.event == .checksumDiffers { differences += 1 } else if update.isVerified { differences = 0 }
        if update.event == .snapshot { isLoaded = true }
        if update.replacesAll { items.removeAll() }
        for item in update.puts { items[item.key] = item.value }
        for key in update.removes { items[key] = nil }
    }
}
