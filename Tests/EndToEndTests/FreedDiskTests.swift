//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEnd {
    /// Journal and objects stand on one file system, as they do unless somebody has arranged otherwise.
    @Suite("A full disk that the front can free", .serialized, .timeLimit(.minutes(10)))
    struct FreedDiskTests {
        @Test("objects that nobody names are collected as soon as the disk is full, and the front goes on by itself")
        func freed() async throws {
            let scenario = try Scenario()
            let host = try await front(scenario)
            defer { host.send(.terminate) }
            let watcher = try await scenario.start("watch", "front", "--output", "jsonl")
            _ = try await watcher.line("storage ok") { $0.contains("\"storage\":\"ok\"") }
            // 1,000 of these are 60 MB: the disk is full long before. Whether one of them is refused then depends on how soon it is freed.
            let argument = String(repeating: "0", count: 60_000) + "1"
            let many = try await scenario.run(["job", "submit", "sleep", "--argument", argument, "--count", "1000", "--output", "jsonl"])
            #expect(many.code == 8 || many.code == 0 && many.lines.count == 1_000, "\(many.errors)")
            _ = try await watcher.line("storage full") { $0.contains("\"storage\":\"full\"") }
            _ = try await watcher.line("storage ok again") { $0.contains("\"storage\":\"ok\"") }
            watcher.send(.interrupt)

            let look = try await scenario.start(program: "/bin/sh", ["-c", "echo look > look"])
            #expect(try await host.line("what is left") { $0.hasPrefix("orphans ") } == "orphans 0")
            #expect(try await look.exit() == .exited(code: 0))
            try await scenario.gantry("job", "submit", "sleep", "--argument", argument)
            let status = try await scenario.gantry("status", "--output", "json").json()
            #expect((status["front"] as? [String: Any])?["storage"] as? String == "ok")
            #expect((status["counts"] as? [String: Any])?["waiting"] as? Int == many.lines.count + 1)
        }

        /// A front whose disk is almost filled by its reserve and an object of 128 MiB that nobody names and that is older than any job;
        /// whoever writes into the pipe `look` is told whether it is still there.
        private func front(_ scenario: Scenario) async throws -> Running {
            let orphan = "disk/objects/00/" + String(repeating: "0", count: 62)
            let script = """
                mkdir -p "$GANTRY_DATA/journal" "$GANTRY_DATA/objects" disk && mount -t tmpfs -o size=196m tmpfs disk || exit 99
                mkdir -m 700 disk/journal disk/objects disk/objects/00 && mkfifo look || exit 99
                # Beside a journal that is new, objects are refused: they would be somebody's whose journal is away.
                touch disk/journal/notNew || exit 99
                for name in journal objects; do mount --bind disk/$name "$GANTRY_DATA/$name" || exit 99; done
                fallocate -l 128m \(orphan) && touch -d '2 hours ago' \(orphan) || exit 99
                gantry front --ready-fd 1 --parent $$ &
                read -r line < look && echo "orphans $(find disk/objects/00 -type f | wc -l)"
                wait
                """
            // Root needs only a mount namespace of its own, others a user namespace too.
            let namespace = ProcessControl.userID == 0 ? ["--mount"] : ["--user", "--map-root-user", "--mount"]
            let host = try await scenario.start(program: "/usr/bin/unshare", namespace + ["sh", "-c", script])
            _ = try await host.line("ready") { $0.contains("\"event\":\"ready\"") }
            return host
        }
    }
}
