//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryPlatform
import GantryZMQ
import Testing

extension EndToEndCommands {
    /// Bytes that mean nothing, on every socket of a front.
    @Suite("Bad input: rubbish on the sockets", .serialized, .timeLimit(.minutes(10)))
    struct RubbishTests {
        @Test("the front counts it and goes on, and what was accepted before, during and after it runs")
        func rubbish() async throws {
            let scenario = try Scenario()
            let up = try await scenario.serve("up", "--without", "sample-origin")
            var jobs = try await scenario.gantry("job", "submit", "sleep", "--argument", "300", "--count", "20").lines
            try sendFrames(scenario)
            jobs += try await scenario.gantry("job", "submit", "noop", "--count", "20").lines
            try await sendRaw(scenario)
            jobs += try await scenario.gantry("job", "submit", "noop", "--count", "20", "--wait", "--quiet").lines.map {
                String($0.prefix { $0 != ":" })
            }
            for job in jobs.prefix(20) {
                #expect(
                    try await scenario.gantry("job", "wait", job, "--quiet", "--output", "json").json()["state"] as? String == "succeeded")
            }
            let status = try await scenario.gantry("status", "--output", "json").json()
            let front = status["front"] as? [String: Any]
            // 40 frames each went to requests and workers.
            #expect(front?["malformedMessages"] as? Int ?? 0 >= 80, "\(front ?? [:])")
            #expect((status["counts"] as? [String: Any])?["succeeded"] as? Int == 60)
            #expect(!up.errors.contains("started again"))
            up.send(.interrupt)
            #expect(try await up.exit() == .exited(code: 0))
        }

        /// Whole ZeroMQ messages of nonsense.
        private func sendFrames(_ scenario: Scenario) throws {
            var generator = SplitMix64(mixing: 4)
            let context = try Context()
            for socket in ["requests", "workers", "pages"] {
                let dealer = try Socket<Dealer>(context)
                try dealer.apply(OptionSheet(sendHighWaterMark: 1_000, receiveHighWaterMark: 1_000, maximumMessageByteCount: 1 << 20))
                try dealer.set(.linger, to: .seconds(5))
                try dealer.connect("ipc://\(scenario.data)/run/\(socket)")
                var poller = Poller()
                _ = try poller.add(dealer, for: .writable)
                _ = try poller.wait(upTo: .seconds(20))
                // A request for a page is small: a frame of more than 4,096 bytes ends its connection before it is read.
                for length in 0..<(socket == "pages" ? 14 : 40) {
                    let bytes = (0..<(length * length * 20)).map { _ in UInt8.random(in: 0...255, using: &generator) }
                    #expect(try dealer.send(bytes) == .sent)
                }
            }
            let observer = try Socket<Subscriber>(context)
            try observer.connect("ipc://\(scenario.data)/run/changes")
            for length in 1..<40 { try observer.subscribe((0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }) }
        }

        /// Bytes that are not even ZeroMQ, on the four sockets.
        private func sendRaw(_ scenario: Scenario) async throws {
            let script = """
                import os, socket, sys
                for name in ("requests", "changes", "workers", "pages"):
                    for beginning in (b"", b"GET / HTTP/1.1\\r\\n\\r\\n", b"\\xff" + bytes(8) + b"\\x7f\\x03\\x00NULL"):
                        peer = socket.socket(socket.AF_UNIX)
                        peer.connect(sys.argv[1] + "/run/" + name)
                        try:
                            peer.sendall(beginning + os.urandom(4096))
                        except OSError:
                            pass
                        peer.close()
                """
            let sender = try await scenario.start(program: "/usr/bin/python3", ["-c", script, scenario.data])
            let answer = try await scenario.end(of: sender)
            #expect(answer.code == 0, "\(answer.errors)")
        }
    }
}
