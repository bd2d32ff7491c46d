//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEnd {
    /// Jobs that wait for their time, over the death of the front.
    @Suite("Jobs in time", .serialized, .timeLimit(.minutes(10)))
    struct ScheduledEndToEndTests {
        @Test("a job runs when its time has come and not before, also if the front is killed meanwhile; others are moved and promoted")
        func scheduled() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            let begun = Date()
            let delayed = try await scenario.gantry("job", "submit", "noop", "--delay", "4s").output
            let far = try await scenario.gantry("job", "submit", "noop", "--delay", "2h").output
            let dated = try await scenario.gantry("job", "submit", "noop", "--run-at", "2001-01-01T00:00:00Z", "--wait")
            #expect(dated.output.contains("succeeded"))
            #expect(dated.errors.contains("the time of --run-at is over: the job is due at once"), "\(dated.errors)")
            let shown = try await scenario.gantry("job", "show", delayed, "--output", "json").json()
            #expect(shown["state"] as? String == "scheduled" && shown["dueAt"] is String)
            #expect((shown["waitReason"] as? [String: Any])?["reason"] as? String == "delayed")
            #expect(try await scenario.gantry("job", "list", "--state", "scheduled").lines.count >= 2)
            try ProcessControl.send(.kill, to: scenario.frontProcess())
            let ended = try await scenario.gantry("job", "wait", delayed, "--output", "json").json()
            #expect(ended["state"] as? String == "succeeded")
            #expect(Date().timeIntervalSince(begun) >= 4)
            let moved = try await scenario.gantry("job", "delay", far, "--run-at", "2027-01-01T01:00:00+01:00")
            #expect(moved.output.contains("its time comes at 2027-01-01T00:00:00.000Z"), "\(moved.output)")
            let promoted = try await scenario.gantry("job", "promote", far).output
            #expect(promoted.hasPrefix("\(far): noop "), "\(promoted)")
            #expect(try await scenario.gantry("job", "wait", far).output.contains("succeeded"))
            let late = try await scenario.gantry("job", "promote", far, code: 9)
            #expect(up.errors.contains("ended by signal 9"))
            #expect(late.errors.contains("only waiting and scheduled jobs can be moved"), "\(late.errors)")
        }
    }
}
