//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryClient
package import GantryModel

extension TopicState {
    /// The shape `change`: one line of `watch`, with the whole state.
    package func json(at time: WallTime) -> JSONValue { ShownChange.shape.json(ShownChange(state: self, time: time)) }

    /// The topic's state alone: a feed, a view, a job, the front, or a list; nil when there is no such thing.
    package var stateJSON: JSONValue? { stateJSON(at: nil) }

    /// The same, with what changes as time passes.
    fileprivate func stateJSON(at time: WallTime?) -> JSONValue? {
        switch topic {
        case .feed: feed?.json(progress: progress)
        case .view: view?.json()
        case .job: job?.json(progress: progress)
        case .ofFront(.jobs): .jobs(jobs, counts: counts)
        case .ofFront(.workers): .workers(workers)
        case .ofFront(.limits): .limits(limits, at: time)
        case .ofFront(.pauses): .pauses(pauses)
        case .ofFront: items[ItemKey.only(of: topic)]?.whole?.json
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
            .always("sequence", .count, "The topic's position: it grows by one with each change.") { $0.state.sequence.rawValue },
            .always("checksum", .topicChecksum, "The sum of all its items.") { $0.state.checksum },
            .always("verified", .bool, "Whether that is verified to be the front's.") { $0.state.isVerified },
            .always("event", .word, "Why there is a line.") { $0.event },
            .always("at", .time, "When it was seen.") { $0.time },
            .sometimes("state", .object, "All of it: the shape of the topic's kind; nothing where there is no such thing.") {
                $0.state.stateJSON(at: $0.time)
            },
        ])
}

extension TopicState {
    /// One line of `watch` for people: time, topic, change, proof, state.
    package func line(at time: WallTime) -> String {
        let clock = String(time.rfc3339.dropFirst(11).dropLast())
        return "\(clock) \(resolved) \(epoch):\(sequence) \(checksum) \(verification) \(stateLine)"
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

    /// Which change a state is, and its checksum.
    package var place: String { "change \(epoch):\(sequence), checksum \(checksum)" }

    /// The same in a sentence for people, with a checksum that is short enough to compare.
    package var placeSentence: String { "all observers have the same: change \(sequence), checksum \(checksum.short)" }

    /// The topic's state in one line.
    package var stateLine: String {
        switch topic {
        case .feed: feed.map { $0.line(progress: progress) } ?? Self.noFeed
        case .view: view.map { $0.line } ?? Self.noView
        case .ofFront(.jobs): counts.map { $0.line } ?? Self.noJobs
        case .job, .ofFront: phrases.joined(separator: separator)
        }
    }

    /// The same in phrases for a terminal, of which those that have changed can be said first.
    private var phrases: [String] {
        switch topic {
        case .feed: feed.map { $0.phrases(progress: progress) } ?? [Self.noFeed]
        case .view: view.map { $0.phrases } ?? [Self.noView]
        case .job: [job?.line(progress: progress) ?? "no such job is known"]
        case .ofFront(.jobs): counts.map { $0.phrases } ?? [Self.noJobs]
        case .ofFront(.workers): workers.isEmpty ? ["no workers"] : workers.map { "\($0.name) \($0.state) \($0.slotsTaken)/\($0.slots)" }
        case .ofFront(.limits): limits.isEmpty ? ["no limits"] : limits.map(\.phrase)
        case .ofFront(.pauses): pauses.isEmpty ? ["nothing is paused"] : pauses.map(\.line)
        case .ofFront: items[ItemKey.only(of: topic)]?.whole?.phrases ?? []
        }
    }

    private static let (noFeed, noView, noJobs) = ("not loaded yet", "not used yet", "no jobs yet")

    private var separator: String {
        switch topic {
        // The phrase of a limit has commas.
        case .feed, .view, .job, .ofFront(.limits): "; "
        case .ofFront: ", "
        }
    }

    /// A line of `watch` at a terminal.
    package func terminalLine(at time: WallTime) -> TerminalLine {
        TerminalLine(
            clock: String(time.rfc3339.dropFirst(11).prefix(8)), verification: verification, sequence: sequence.description,
            checksum: checksum.short, topic: resolved.description, phrases: phrases, separator: separator, keepsOrder: topic == .jobs)
    }
}

/// A line of `watch` at a terminal, which is narrow.
package struct TerminalLine: Hashable, Sendable {
    var clock: String
    var verification: String
    var sequence: String
    var checksum: String
    var topic: String
    var phrases: [String]
    var separator: String
    /// Whether phrases keep their places, so that the eye can follow each: counts that change all the time.
    var keepsOrder = false

    /// From how many columns on a line has the number of the change and the checksum: on a narrower terminal they would leave no room for
    /// what happens.
    static let wideColumns = 100
    /// The columns of the time, below which nothing else stands.
    package static let indent = 9

    /// The line, with what is new since the line before of the same topic first, unless the phrases keep their order.
    /// - Returns: nil where but the time, the number of the change and the checksum, the same text would be shown again.
    package func text(columns: Int, after last: TerminalLine?) -> String? {
        let isWide = columns >= Self.wideColumns
        guard last?.verification != verification || last?.phrases != phrases else { return nil }
        let known: Set<String> = keepsOrder ? [] : Set(last?.phrases ?? [])
        let sorted = phrases.filter { !known.contains($0) } + phrases.filter { known.contains($0) }
        let gap = String(repeating: " ", count: max(0, 4 - sequence.count))
        let number = isWide ? ["\(gap)\(sequence)", checksum] : []
        return ([clock, verification] + number + [topic, sorted.joined(separator: separator)]).joined(separator: " ")
    }
}
