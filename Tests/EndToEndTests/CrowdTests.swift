//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEnd {
    @Suite("A crowd", .serialized, .timeLimit(.minutes(10)))
    struct CrowdTests {
        @Test("more connections than the front has descriptors do not end it, and it serves again once some have gone")
        func descriptors() async throws {
            let scenario = try Scenario()
            let front = try await scenario.start(
                program: "/usr/bin/prlimit",
                [
                    "--nofile=160:160", Scenario.gantry, "front", "--data", scenario.data, "--ready-fd", "1", "--parent",
                    "\(ProcessControl.currentID)",
                ])
            _ = try await front.line("ready") { $0.contains("\"event\":\"ready\"") }
            let crowd = try await scenario.end(
                of: scenario.start(program: "/usr/bin/python3", ["-c", Self.crowd, scenario.data + "/run/requests"]))
            #expect(crowd.code == 0 && crowd.lines.first == "some served, some turned away", "\(crowd.lines) \(crowd.errors)")
            try await scenario.gantry("status")
            front.send(.terminate)
            #expect(try await front.exit() == .exited(code: 0))
            #expect(front.errors.contains("connections turned away"), "\(front.errors)")
        }

        /// Connects four hundred times and looks what each connection gets: the library's greeting, or its end.
        private static let crowd = """
            import socket, sys
            connections = []
            for _ in range(400):
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(sys.argv[1])
                connections.append(connection)
            def is_served(connection):
                try:
                    return bool(connection.recv(1))
                except ConnectionResetError:
                    return False
            served = sum(is_served(connection) for connection in connections)
            print("some served, some turned away" if 20 < served < 160 else f"{served} served")
            """
    }
}
