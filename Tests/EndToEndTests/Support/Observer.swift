//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

/// A `gantry watch --output jsonl` and everything it has said.
final class Observer {
    /// One line of it.
    struct Change: Decodable, Hashable {
        let topic: String
        let epoch: UInt64
        let sequence: UInt64
        let checksum: String
        let verified: Bool
        let event: String

        /// Whether this is so new as, or newer than, another.
        func hasReached(_ other: Change) -> Bool { (epoch, sequence) >= (other.epoch, other.sequence) }
    }

    let running: Running
    private(set) var changes: [Change] = []

    init(_ running: Running) { self.running = running }

    /// Starts a watch of topics at a site.
    static func start(_ scenario: Scenario, _ topics: [String]) async throws -> Observer {
        Observer(try await scenario.start(program: Scenario.gantry, ["watch"] + topics + ["--output", "jsonl"]))
    }

    /// The newest change of a topic that was seen so far.
    func last(_ topic: String) -> Change? { changes.last { $0.topic == topic } }

    /// Reads on until a change is as wanted, and gives it.
    @discardableResult
    func read(_ what: String, until isWanted: (Change, String) -> Bool) async throws -> Change {
        while true {
            let line = try await running.line(what)
            let change = try JSONDecoder().decode(Change.self, from: Data(line.utf8))
            changes.append(change)
            if isWanted(change, line) { return change }
        }
    }

    /// Reads on until a topic has reached the change of a witness, verified, and compares all that both can have seen.
    func agree(with witness: Change, at location: SourceLocation = #_sourceLocation) async throws {
        let seen = last(witness.topic).flatMap { $0.hasReached(witness) && $0.verified ? $0 : nil }
        if seen == nil {
            try await read("\(witness.topic) at \(witness.sequence)") { change, _ in
                change.topic == witness.topic && change.verified && change.hasReached(witness)
            }
        }
        let same = last(witness.topic)
        #expect(same?.epoch == witness.epoch && same?.sequence == witness.sequence, sourceLocation: location)
        #expect(same?.checksum == witness.checksum && same?.verified == true, sourceLocation: location)
    }
}

extension [Observer] {
    /// Every observer comes to the state that a fresh one proves, for each topic; and none ever saw another digest at the same place.
    func agree(_ scenario: Scenario, on topics: [String], at location: SourceLocation = #_sourceLocation) async throws {
        for topic in topics {
            let answer = try await scenario.gantry("watch", topic, "--count", "1", "--output", "jsonl", "--timeout", "60s", at: location)
            let witness = try JSONDecoder().decode(Observer.Change.self, from: Data(answer.output.utf8))
            #expect(witness.verified, "\(topic)", sourceLocation: location)
            for observer in self { try await observer.agree(with: witness, at: location) }
        }
        var checksums: [String: String] = [:]
        for change in flatMap(\.changes) where change.verified {
            let place = "\(change.topic) \(change.epoch):\(change.sequence)"
            #expect(checksums[place] ?? change.checksum == change.checksum, "\(place)", sourceLocation: location)
            checksums[place] = change.checksum
        }
    }
}

extension Scenario {
    /// Waits until an observer sees that a job runs.
    func waitUntilRunning(_ id: String) async throws {
        let observer = try await Observer.start(self, ["job/\(id)"])
        try await observer.read("the job running") { _, line in line.contains("\"state\":\"running\"") }
        observer.running.send(.kill)
    }
}
