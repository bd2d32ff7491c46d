//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Client
public import Model

extension TopicState {
    /// One line of `watch` for people: time, topic, change, proof, state.
    public func line(at time: WallTime) -> String {
        let clock = String(time.rfc3339.dropFirst(11).dropLast())
        return "\(clock) \(resolved) \(epoch):\(sequence) \(checksum) \(verification) \(stateLine)"
    }

    /// The parts of that line at a terminal: what is compared and verified, shortened and first; then what may be cut.
    public func shortLine(at time: WallTime) -> (verification: String, topic: String, state: String) {
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

    /// Which change a state is, and its digest; short at a terminal.
    public func place(isShort: Bool) -> String {
        isShort ? "change \(sequence) \(checksum.short)" : "change \(epoch):\(sequence), digest \(checksum)"
    }

    /// The topic's state in one line.
    public var stateLine: String { stateLine(isShort: false) }

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
