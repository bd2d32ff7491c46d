//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryClient
package import GantryModel

extension TopicState {
    /// The shape `change`: one line of `watch`, with the whole state.
    package func json(at time: WallTime) -> JSONValue { ShownChange.shape.json(ShownChange(state: self, time: time)) }

    /// The topic's state alone: a feed, a view, a job, the front, or a list; nil when there is no such thing.
    package var stateJSON: JSONValue? {
        switch topic {
        case .feed: feed?.json(progress: progress)
        case .view: view?.json()
        case .job: job?.json(progress: progress)
        case .jobs: .jobs(jobs, counts: counts)
        case .workers: .workers(workers)
        default: items[ItemKey.only(of: topic)]?.whole?.json
        }
    }
}

/// A state of a topic and when it was seen.
struct ShownChange: Sendable {
    /// The words of `watch`: proof belongs to the snapshot that it proves, a sum that differs is a gap.
    private enum Event: String, CaseIterable { case snapshot, change, gap, epoch, lost, back }

    let state: TopicState
    let time: WallTime

    private var event: Event {
        switch state.event {
        case .snapshot, .verified: .snapshot
        case .change: .change
        case .gap, .checksumDiffers: .gap
        case .epoch: .epoch
        case .lost: .lost
        case .back: .back
        }
    }

    static let shape = JSONShape<ShownChange>(
        "change", "One line of `gantry watch --output jsonl`.",
        [
            .always("topic", .text, "The topic, with the defaults of a feed's parameters.") { $0.state.resolved.description },
            .always("epoch", .count, "The front's epoch.") { $0.state.epoch.rawValue },
            .always("sequence", .count, "How many changes the topic had.") { $0.state.sequence.rawValue },
            .always("checksum", .topicChecksum, "The sum of all its items.") { $0.state.checksum },
            .always("verified", .bool, "Whether that is verified to be the front's.") { $0.state.isVerified },
            .always("event", .word, "Why there is a line.") { $0.event },
            .always("at", .time, "When it was seen.") { $0.time },
            .sometimes("state", .object, "All of it: the shape of the topic's kind; nothing where there is no such thing.") {
                $0.state.stateJSON
            },
        ])
}

extension TopicState {
    /// One line of `watch` for people: time, topic, change, proof, state.
    package func line(at time: WallTime) -> String {
        let clock = String(time.rfc3339.dropFirst(11).dropLast())
        return "\(clock) \(resolved) \(epoch):\(sequence) \(checksum) \(verification) \(stateLine)"
    }

    /// The parts of that line at a terminal: what is compared and verified, shortened and first; then what may be cut.
    package func shortLine(at time: WallTime) -> (verification: String, topic: String, state: String) {
        let clock = time.rfc3339.dropFirst(11).prefix(8)
        let number = sequence.description
        let gap = String(repeating: " ", count: max(0, 4 - number.count))
        return ("\(clock) \(verification) \(gap)\(number) \(checksum.short)", resolved.description, stateLine(isShort: true))
    }

    /// Eight columns, so that what follows stands below each other.
    private var verification: String {
        if isVerified { return "verified" }
        return switch event {
        case .checksumDiffers: "DIFFERS "
        case .lost: "lost    "
        case .back: "back    "
        case .snapshot, .change, .gap, .epoch, .verified: "unverified"
        }
    }

    /// Which change a state is, and its checksum; short at a terminal.
    package func place(isShort: Bool) -> String {
        isShort ? "change \(sequence) \(checksum.short)" : "change \(epoch):\(sequence), checksum \(checksum)"
    }

    /// The topic's state in one line.
    package var stateLine: String { stateLine(isShort: false) }

    private func stateLine(isShort: Bool) -> String {
        switch topic {
        case .feed: feed.map { isShort ? $0.shortLine(progress: progress) : $0.line(progress: progress) } ?? "no such feed is live"
        case .view: view.map { isShort ? $0.shortLine : $0.line } ?? "no such view is live"
        case .job: job?.line(progress: progress) ?? "no such job is known"
        case .jobs: counts.map { isShort ? $0.shortLine : $0.line } ?? "no jobs yet"
        case .workers:
            workers.isEmpty
                ? "no workers" : workers.map { "\($0.name) \($0.state) \($0.slotsTaken)/\($0.slots)" }.joined(separator: ", ")
        default: items[ItemKey.only(of: topic)]?.whole?.line ?? ""
        }
    }
}
