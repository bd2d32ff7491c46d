//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

@testable import gantry

extension EndToEndCommands {
    @Suite("Exit codes", .serialized, .timeLimit(.minutes(10)))
    struct ExitCodeTests {
        @Test("each code of the table is what a real command ends with")
        func table() async throws {
            let scenario = try Scenario()
            var seen: Set<Int32> = []
            func expect(_ code: Int32, _ arguments: String...) async throws {
                let answer = try await scenario.run(arguments)
                #expect(answer.code == code, "gantry \(arguments.joined(separator: " ")): \(answer.output) \(answer.errors)")
                #expect(code == 0 || !answer.errors.isEmpty)
                seen.insert(answer.code)
            }
            try await expect(7, "status")
            // 1 is a mistake of gantry itself: here of something that poses as a front and answers with the wrong thing.
            let wrong = try WrongFront(scenario)
            try await expect(1, "job", "list")
            try wrong.stop()
            let (up, origin) = try await scenario.up()
            try await expect(0, "status")
            try await origin.fault(#"{"path":"/items","status":503}"#)
            try await expect(3, "feed", "load", "items")
            try await origin.fault(#"{"path":"/items","holdAfterBytes":10}"#)
            try await expect(5, "feed", "load", "items", "--timeout", "300ms")
            try await expect(6, "feed", "load", "nothing")
            try await expect(9, "front")
            try await expect(10, "feed", "sort", "items", "--by", "nothing")
            try await expect(64, "feed", "load")
            try await expect(73, "doctor", "--data", "/dev/null/data")
            try await expect(78, "doctor", "--config", "/nowhere.yaml")
            let waiter = try await scenario.start("feed", "load", "items", "--param", "parameter=other")
            try await origin.wait("/items", "inFlight=2")
            try await scenario.gantry("feed", "cancel", "items", "--param", "parameter=other")
            seen.insert(try await scenario.end(of: waiter).code)
            let watcher = try await scenario.start("watch", "jobs", "--output", "jsonl")
            _ = try await watcher.line("a first change")
            watcher.send(.interrupt)
            seen.insert(try await scenario.end(of: watcher).code)
            for number in 0..<64 where !seen.contains(8) {
                seen.insert(try await scenario.run(["feed", "sort", "items", "--by", "title", "--view", "v\(number)"]).code)
            }
            #expect(seen == Set(ExitStatus.allCases.map(\.rawValue)))
            up.send(.interrupt)
            _ = try await up.exit()
        }
    }
}
