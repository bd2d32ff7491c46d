//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEndCommands {
    /// A front that stands still or is gone is seen by everybody who watches.
    @Suite("A lost front", .serialized, .timeLimit(.minutes(5)))
    struct LostFrontTests {
        @Test("watch says lost while the front is stopped, back when it goes on, and is verified again")
        func stopped() async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            let watch = try await Observer.start(scenario, ["jobs", "front"])
            let people = try await scenario.start("watch", "jobs")
            _ = try await people.line("a verified change") { $0.contains(" verified ") }
            var verified: Set<String> = []
            try await watch.read("both topics verified, in either order") { change, _ in
                if change.verified { verified.insert(change.topic) }
                return verified.count == 2
            }
            front.send(.stop)
            let lost = try await watch.read("a lost front") { change, _ in change.event == "lost" && change.topic == "jobs" }
            _ = try await people.line("a lost front") { $0.contains(" lost ") }
            #expect(!lost.verified)
            front.send(.continue)
            let back = try await watch.read("the front back") { change, _ in change.event == "back" && change.topic == "jobs" }
            #expect(!back.verified)
            let again = try await watch.read("a verified change") { change, _ in change.verified && change.topic == "jobs" }
            #expect(again.checksum == lost.checksum)
            // Its lines say it; standard error is for why it ends.
            #expect(watch.running.errors.isEmpty, "\(watch.running.errors)")
            watch.running.send(.interrupt)
            _ = try await people.line("a verified change") { $0.contains(" verified ") }
            #expect(people.errors.contains("the front does not answer: what is shown may be old"))
            #expect(people.errors.contains("the front answers"))
            people.send(.interrupt)
            front.send(.terminate)
            _ = try await front.exit()
        }

        @Test("attach turns feed and view unverified while the front is stopped, and verified again when it goes on")
        func attached() async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            let attach = Observer(try await scenario.start("feed", "attach", "todos", "--output", "jsonl"))
            var reached: [String: Stage] = [:]
            try await attach.readBoth(to: .verified, from: &reached)
            front.send(.stop)
            try await attach.readBoth(to: .lost, from: &reached)
            front.send(.continue)
            try await attach.readBoth(to: .verifiedAgain, from: &reached)
            attach.running.send(.interrupt)
            _ = try await attach.running.exit()
            front.send(.terminate)
            _ = try await front.exit()
        }

        @Test("a front that is stopped need not be started: who asks it in vain, and doctor, say that it runs and does not answer")
        func silent() async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            #expect(try await scenario.gantry("doctor").output.contains("ok    front: runs as process \(front.process)"))
            front.send(.stop)
            for place in [[], ["--connect", scenario.data]] {
                let asked = try await scenario.run(["status", "--timeout", "300ms"] + place)
                #expect(asked.code == 7, "\(asked.errors)")
                #expect(
                    asked.errors.contains("a front runs there as process \(front.process) and is stopped by a signal"), "\(asked.errors)")
                #expect(asked.errors.contains("gantry doctor") && !asked.errors.contains("gantry up"), "\(asked.errors)")
            }
            let doctor = try await scenario.gantry("doctor").output
            #expect(doctor.contains("warn  front: process \(front.process) is stopped by a signal; let it go on: kill -CONT"), "\(doctor)")
            front.send(.continue)
            front.send(.terminate)
            _ = try await front.exit()
            #expect(try await scenario.gantry("status", "--timeout", "300ms", code: 7).errors.contains("start one with `gantry up`"))
        }

        @Test("a front whose sockets were removed is told as such, not as one with a full disk")
        func socketsGone() async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            try FileManager.default.removeItem(atPath: scenario.data + "/run")
            let socket = scenario.data + "/run/requests"
            let asked = try await scenario.gantry("status", "--timeout", "300ms", code: 7)
            #expect(asked.errors.contains("does not answer: its socket \(socket) is gone"), "\(asked.errors)")
            let doctor = try await scenario.gantry("doctor").output
            #expect(doctor.contains("its socket \(socket) is gone; end it, and start it again: kill \(front.process)"), "\(doctor)")
            front.send(.terminate)
            _ = try await front.exit()
        }

        @Test("a front that comes later than a command would wait by itself is waited for as long as --timeout says")
        func late() async throws {
            let scenario = try Scenario()
            let patient = try await scenario.start("job", "submit", "noop", "--timeout", "120s")
            // Its end is the signal that more than 6 s are over.
            try await scenario.gantry("status", "--timeout", "6s", code: 7)
            let front = try await scenario.serve("front")
            let answer = try await scenario.end(of: patient)
            #expect(answer.code == 0 && answer.lines.count == 1, "\(answer.errors)")
            front.send(.terminate)
            _ = try await front.exit()
        }

        @Test("watch says lost when the front is killed, and follows the next life of it")
        func killed() async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            let watch = try await Observer.start(scenario, ["jobs"])
            try await watch.read("a verified change") { change, _ in change.verified }
            front.send(.kill)
            _ = try await front.exit()
            let lost = try await watch.read("a lost front") { change, _ in change.event == "lost" }
            #expect(!lost.verified)
            let next = try await scenario.serve("front")
            let again = try await watch.read("a verified change") { change, _ in change.verified }
            #expect(again.epoch > lost.epoch)
            #expect(watch.changes.contains { $0.event == "back" })
            watch.running.send(.interrupt)
            next.send(.terminate)
            _ = try await next.exit()
        }
    }
}

/// What a topic goes through, one after the other; one may be ahead of the other.
private enum Stage: Int {
    case verified = 1
    case lost
    case back
    case verifiedAgain

    /// Whether a change brings a topic here.
    func isReached(by change: Observer.Change) -> Bool {
        switch self {
        case .verified, .verifiedAgain: change.verified
        case .lost: change.event == "lost" && !change.verified
        case .back: change.event == "back" && !change.verified
        }
    }
}

extension Observer {
    /// Reads on until the feed and its view have come to a stage, through all before it.
    fileprivate func readBoth(to stage: Stage, from reached: inout [String: Stage]) async throws {
        var stages = reached
        try await read("feed and view \(stage)") { change, _ in
            let next = Stage(rawValue: (stages[change.topic]?.rawValue ?? 0) + 1)
            if let next, next.isReached(by: change) { stages[change.topic] = next }
            return stages.values.count { $0.rawValue >= stage.rawValue } == 2
        }
        reached = stages
    }
}
