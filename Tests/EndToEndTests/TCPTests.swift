//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEndCommands {
    @Suite("A front on TCP", .serialized, .timeLimit(.minutes(10)))
    struct TCPTests {
        @Test("is found by its data folder, by commands and workers, and lets nobody in who does not know the token")
        func token() async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front", "--tcp")
            let second = try await scenario.gantry("front", "--tcp", "--data", scenario.folder + "/second", code: 9)
            #expect(second.errors.contains("error: the front cannot listen at tcp://127.0.0.1:770"), "\(second.errors)")
            #expect(second.errors.contains("next:  stop what listens there"), "\(second.errors)")
            let stray = try await scenario.gantry("worker", "--tcp", "--data", scenario.folder + "/stray", code: 7)
            #expect(stray.errors.contains("the worker does not know this front's token"), "\(stray.errors)")
            #expect(stray.errors.contains("next:  over TCP name the data folder of that front with --data"), "\(stray.errors)")
            let worker = try await scenario.serve("worker")
            try await scenario.gantry("job", "submit", "noop", "--wait")
            try await scenario.gantry("status", "--connect", "tcp://127.0.0.1:7701")
            let stranger = try await scenario.gantry(
                "status", "--connect", "tcp://127.0.0.1:7701", "--data", scenario.folder + "/elsewhere", "--timeout", "2s", code: 7)
            #expect(stranger.errors.contains("the front at tcp://127.0.0.1:7701 asks for its token"), "\(stranger.errors)")
            #expect(stranger.errors.contains("next:  add --data FOLDER"), "\(stranger.errors)")
            worker.send(.terminate)
            #expect(try await worker.exit() == .exited(code: 0))
            front.send(.terminate)
            #expect(try await front.exit() == .exited(code: 0))
            let again = try await scenario.serve("front")
            try await scenario.gantry("status")
            again.send(.terminate)
            _ = try await again.exit()
        }
    }
}
