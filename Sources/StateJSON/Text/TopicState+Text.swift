//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Client
public import Model

extension TopicState {
    /// One line of `watch` for people: time, topic, change, proof, state.
    public func line(at time: WallTime) -> String {
        let clock = String(time.rfc3339.dropFirst(11).dropLast())
        let proof = isVerified ? "verified" : event == .digestDiffers ? "DIFFERS " : "unproven"
        return "\(clock) \(topic) \(epoch):\(sequence) \(digest) \(proof) \(stateLine)"
    }

    /// The topic's state in one line.
    public var stateLine: String {
        switch topic {
        case .feed: feed?.line(progress: progress) ?? "no such feed is live"
        case .view: view?.line ?? "no such view is live"
        case .job: job?.line(progress: progress) ?? "no such job is known"
        case .jobs: counts?.line ?? "no jobs yet"
        case .workers:
            workers.isEmpty
                ? "no workers" : workers.map { "\($0.name) \($0.state) \($0.slotsTaken)/\($0.slots)" }.joined(separator: ", ")
        case .front:
            frontSummary.map { "version \($0.version), durability \($0.durability), storage \($0.storage), \($0.sessions) sessions" } ?? ""
        case .limits, .schedules: "none"
        }
    }
}
