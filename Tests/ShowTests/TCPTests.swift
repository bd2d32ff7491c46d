//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Platform
import Testing

extension Shows {
    @Suite("A front on TCP", .serialized, .timeLimit(.minutes(10)))
    struct TCPTests {
        @Test("is found by its data folder, by commands and workers, and lets nobody in who does not know the token")
        func token() async throws {
            let site = try Site()
            let front = try await site.serve("front", "--tcp")
            let second = try await site.gantry("front", "--tcp", "--data", site.folder + "/second", code: 9)
            #expect(second.errors.contains("error: the front cannot listen at tcp://127.0.0.1:770"), "\(second.errors)")
            #expect(second.errors.contains("next:  stop what listens there"), "\(second.errors)")
            let stray = try await site.gantry("worker", "--tcp", "--data", site.folder + "/stray", code: 7)
            #expect(stray.errors.contains("the worker does not know this front's token"), "\(stray.errors)")
            #expect(stray.errors.contains("next:  over TCP name the data folder of that front with --data"), "\(stray.errors)")
            let worker = try await site.serve("worker")
            try await site.gantry("job", "submit", "noop", "--wait")
            try await site.gantry("status", "--connect", "tcp://127.0.0.1:7701")
            let stranger = try await site.gantry(
                "status", "--connect", "tcp://127.0.0.1:7701", "--data", site.folder + "/elsewhere", "--timeout", "2s", code: 7)
            #expect(stranger.errors.contains("the front at tcp://127.0.0.1:7701 asks for its token"), "\(stranger.errors)")
            #expect(stranger.errors.contains("next:  add --data FOLDER"), "\(stranger.errors)")
            worker.send(.terminate)
            #expect(try await worker.exit() == .exited(code: 0))
            front.send(.terminate)
            #expect(try await front.exit() == .exited(code: 0))
            let again = try await site.serve("front")
            try await site.gantry("status")
            again.send(.terminate)
            _ = try await again.exit()
        }
    }
}
