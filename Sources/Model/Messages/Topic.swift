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
    /// Counts of jobs and a bounded window of live ones.
    case jobs
    /// The workers.
    case workers
    /// The front itself.
    case front
    /// What it has stored.
    case storage

    /// The topic as text, for example `feed/products?category=electronics` or `job/42`.
    public var description: String {
        switch self {
        case .feed(let key): "feed/" + key.text
        case .view(let key, let name): "view/" + key.text + "/" + name
        case .job(let id): "job/" + id.description
        case .jobs: "jobs"
        case .workers: "workers"
        case .front: "front"
        case .storage: "storage"
        }
    }

    /// Those that each front has, whatever it works on: their texts are words, and they are few.
    public static let ofFront: [Topic] = [.jobs, .workers, .front, .storage]

    /// Their texts, for people.
    package static let shownOfFront = ofFront.map(\.description).joined(separator: ", ")

    /// Whether it is one of those that each front has.
    public var isOfFront: Bool {
        switch self {
        case .feed, .view, .job: false
        default: true
        }
    }

    /// The topic's frame: its text and a byte 0x00.
    public var frame: [UInt8] { Array(description.utf8) + [0] }

    /// Reads a topic's text; nil if it names none.
    public init?(_ text: String) {
        if let topic = Self.ofFront.first(where: { $0.description == text }) {
            self = topic
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
            guard FeedKey.isName(name) else { return nil }
            self = .view(key, name)
        default: return nil
        }
    }

    /// Reads a topic's frame; nil if it names none.
    public init?(frame: [UInt8]) {
        guard frame.last == 0, let text = String(validating: frame.dropLast(), as: UTF8.self) else { return nil }
        self.init(text)
    }
}
